"""Runs the steps of a plan, for both generations of the Python client."""

import json
import sys

import anyio


async def play(plan, report, list_tools, call):
    """Runs the steps; `call` answers with a dictionary, and raises what the client raises."""

    async def answered(step):
        try:
            return await call(step["call"], step.get("arguments", {}))
        except Exception as error:  # reported, not raised: some steps are meant to fail
            return {"refused": refusal(error)}

    async def together(steps):
        answers = [None] * len(steps)

        async def one(at):
            answers[at] = await answered(steps[at])

        async with anyio.create_task_group() as group:
            for at in range(len(steps)):
                group.start_soon(one, at)
        return answers

    async def until(condition):
        while condition:
            answer = await call(condition["call"], {})
            if answer["structured"][condition["field"]] == condition["value"]:
                return
            await anyio.sleep(0.02)

    async def cancelled(step):
        outcome = {"cancelled": True}

        async def pending():
            await call(step["cancel"], step.get("arguments", {}))
            outcome.update(cancelled=False, finished=True)

        async with anyio.create_task_group() as group:
            group.start_soon(pending)
            await until(step.get("once"))
            group.cancel_scope.cancel()
        await until(step.get("then"))
        return outcome

    for step in plan["steps"]:
        if "list" in step:
            report["steps"].append(await list_tools())
        elif "together" in step:
            report["steps"].append(await together(step["together"]))
        elif "cancel" in step:
            report["steps"].append(await cancelled(step))
        else:
            report["steps"].append(await answered(step))


def refusal(error):
    """The code and message of a protocol error."""
    inner = getattr(error, "error", error)
    return {"code": getattr(inner, "code", None), "message": getattr(inner, "message", str(error))}


def answer(content, structured, failed):
    """An answer in the form of the report."""
    return {"text": "".join(part.text for part in content), "structured": structured, "failed": bool(failed)}


def read_plan():
    return json.load(sys.stdin)


def write(report):
    json.dump(report, sys.stdout)
