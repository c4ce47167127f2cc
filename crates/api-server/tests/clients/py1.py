"""Runs a plan (see plan.md) with the first generation of the Python client."""

import contextlib
import os

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.auth import OAuthClientProvider
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client
from mcp.types import Implementation

import oauth_flow
import play


def transport(server):
    if "command" in server:
        env = {**os.environ, **server.get("env", {})}
        return stdio_client(StdioServerParameters(command=server["command"], args=server["args"], env=env))
    auth = None
    if "oauth" in server:
        back = lambda back: (back["code"], back.get("state"))
        auth = oauth_flow.provider(OAuthClientProvider, server["url"], server["oauth"], back)
    return streamablehttp_client(server["url"], headers=server.get("headers"), auth=auth)


async def main():
    plan = play.read_plan()
    async with contextlib.AsyncExitStack() as stack:
        reader, writer, *_ = await stack.enter_async_context(transport(plan["server"]))
        session = ClientSession(reader, writer, client_info=Implementation(**plan["client"]))
        session = await stack.enter_async_context(session)
        began = await session.initialize()

        async def list_tools():
            tools = (await session.list_tools()).tools
            return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]

        async def call(name, arguments):
            result = await session.call_tool(name, arguments)
            return play.answer(result.content, result.structuredContent, result.isError)

        report = {
            "protocol": began.protocolVersion,
            "server": began.serverInfo.model_dump(mode="json", exclude_none=True),
            "instructions": began.instructions,
            "steps": [],
        }
        await play.play(plan, report, list_tools, call)
        play.write(report)


anyio.run(main)
