"""Drives `joi mcp serve` with the official client for Python, in both eras: list, call, error, cancel.

Arguments: joi and what is before "mcp serve".
"""

import os
import sys

import anyio
from mcp import Client, MCPError, StdioServerParameters


def check(is_it: bool, what: object) -> None:
    if not is_it:
        raise SystemExit(f"tests/peers/mcp_client.py: {what}")


async def drive(mode: str, revision: str) -> None:
    server = StdioServerParameters(
        command=sys.argv[1], args=[*sys.argv[2:], "mcp", "serve"], env=dict(os.environ)
    )
    async with Client(server, mode=mode) as client:
        check(client.protocol_version == revision, client.protocol_version)
        names = [tool.name for tool in (await client.list_tools()).tools]
        check("say" in names and "house_command" not in names, names)
        time = await client.call_tool("ask", {"text": "what time is it?"})
        check(not time.is_error and time.content[0].text.startswith("It's "), time)
        off = await client.call_tool("set_timer", {"when": "10 minutes"})
        check(off.is_error and "mcp.serve.allow" in off.content[0].text, off)
        wrong = await client.call_tool("list_timers", {"rooms": "kitchen"})
        check(wrong.is_error, wrong)
        try:
            unknown = await client.call_tool("open_door", {})
            check(False, unknown)
        except MCPError as error:
            check(error.code == -32602, error)
        # Without a loudspeaker a text waits to be said.
        with anyio.move_on_after(0.5) as limit:
            await client.call_tool("say", {"text": "Never said."})
        check(limit.cancelled_caught, "a cancelled call has an answer")
        after = await client.call_tool("status", {})
        check(not after.is_error, after)


for mode, revision in [("legacy", "2025-11-25"), ("auto", "2026-07-28")]:
    anyio.run(drive, mode, revision)
