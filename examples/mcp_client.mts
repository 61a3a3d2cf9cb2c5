// The official MCP client for TypeScript: list the marketplace's tools, and search with one.
//
// Run:  npm install @modelcontextprotocol/client@2.4.0 tsx@4.23.15
//       npx tsx mcp_client.mts http://127.0.0.1:8000
// (Node.js 22.18 or newer runs it without tsx: node mcp_client.mts http://127.0.0.1:8000)
// Searching needs no token. With MARKETPLACE_TOKEN set, installing and reviewing work as well.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const url = new URL("/mcp?tools=core", process.argv[2]);
const token = process.env.MARKETPLACE_TOKEN;
const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};

const client = new Client({ name: "example", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));

const { tools } = await client.listTools();
console.log("Tools:", tools.map((tool) => tool.name).join(", "));

const result = await client.callTool({
  name: "search_skills",
  arguments: { query: "extract tables from pdf" },
});
const { results } = result.structuredContent as { results: { slug: string; title: string }[] };
for (const skill of results.slice(0, 3)) {
  console.log(skill.slug, "-", skill.title);
}
await client.close();
