// Walks with the npm SDK: node mcp_walk.mjs URL '[[tool, arguments], …]' [token]
// prints [isError, text, structuredContent] of each call.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, steps, token] = process.argv.slice(2);
const headers = token ? { Authorization: `Bearer ${token}` } : {};
const client = new Client({ name: "walk", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));

const results = [];
for (const [name, args] of JSON.parse(steps)) {
  const result = await client.callTool({ name, arguments: args });
  results.push([result.isError, result.content[0].text, result.structuredContent ?? null]);
}
console.log(JSON.stringify(results));
await client.close();
