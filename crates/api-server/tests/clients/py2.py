"""Runs a plan (see plan.md) with the second generation of the Python client."""

import os

import anyio
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation

import oauth_flow
import play


def transport(server):
    if "command" in server:
        env = {**os.environ, **server.get("env", {})}
        return stdio_client(StdioServerParameters(command=server["command"], args=server["args"], env=env))
    timeout = httpx2.Timeout(30, read=300)
    auth = None
    if "oauth" in server:
        auth = oauth_flow.provider(OAuthClientProvider, server["url"], server["oauth"], answered)
    return streamable_http_client(
        server["url"], http_client=httpx2.AsyncClient(headers=server.get("headers"), timeout=timeout, auth=auth)
    )


def answered(back):
    return AuthorizationCodeResult(code=back["code"], state=back.get("state"), iss=back.get("iss"))


async def main():
    plan = play.read_plan()
    # A pinned version would skip discovery, and with it the server's info.
    mode = "legacy" if plan.get("era") == "legacy" else "auto"
    async with Client(transport(plan["server"]), mode=mode, client_info=Implementation(**plan["client"])) as client:

        async def list_tools():
            tools = (await client.list_tools()).tools
            return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]

        async def call(name, arguments):
            result = await client.call_tool(name, arguments)
            return play.answer(result.content, result.structured_content, result.is_error)

        server = client.server_info
        report = {
            "protocol": client.protocol_version,
            "server": server and server.model_dump(mode="json", exclude_none=True),
            "instructions": client.instructions,
            "steps": [],
        }
        await play.play(plan, report, list_tools, call)
        play.write(report)


anyio.run(main)
