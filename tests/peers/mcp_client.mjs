// Drives `joi mcp serve` with the official client for Node: list, call, error, cancel. Arguments: joi and what is before
// "mcp serve"; the modules are below the current directory.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const from = createRequire(process.cwd() + "/");
const load = (name) => import(pathToFileURL(from.resolve("@modelcontextprotocol/sdk/client/" + name)));
const { Client } = await load("index.js");
const { StdioClientTransport } = await load("stdio.js");

const check = (is, what) => {
  if (!is) throw new Error(what);
};

const [command, ...before] = process.argv.slice(2);
const client = new Client({ name: "peer", version: "1" });
await client.connect(new StdioClientTransport({ command, args: [...before, "mcp", "serve"], env: process.env }));
const names = (await client.listTools()).tools.map((tool) => tool.name);
check(names.includes("say") && !names.includes("house_command"), "tools: " + names);
const time = await client.callTool({ name: "ask", arguments: { text: "what time is it?" } });
check(!time.isError && time.content[0].text.startsWith("It's "), JSON.stringify(time));
const off = await client.callTool({ name: "set_timer", arguments: { when: "10 minutes" } });
check(off.isError && off.content[0].text.includes("mcp.serve.allow"), JSON.stringify(off));
const unknown = await client.callTool({ name: "open_door", arguments: {} }).then(
  (answer) => JSON.stringify(answer),
  (error) => error,
);
check(unknown.code === -32602, "an unknown tool: " + unknown);
// Without a loudspeaker a text waits to be said.
const stop = new AbortController();
const saying = client.callTool({ name: "say", arguments: { text: "Never said." } }, undefined, { signal: stop.signal });
setTimeout(() => stop.abort("enough"), 300);
const cancelled = await saying.then(
  () => false,
  () => true,
);
check(cancelled, "a cancelled call has an answer");
const after = await client.callTool({ name: "status", arguments: {} });
check(!after.isError, JSON.stringify(after));
await client.close();
