// Reads skills with the npm client, which verifies each file: node mcp_skills.mjs URL '[uri, …]' [token]
// prints {uri: {uri of a file: Base64}} of what is listed, and of what the URIs name;
// null for a SKILL.md whose frontmatter is not its entry's.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";

const [url, uris, token] = process.argv.slice(2);
const headers = token ? { Authorization: `Bearer ${token}` } : {};
const client = new Client(
  { name: "skills", version: "1.0.0" },
  { versionNegotiation: { mode: "auto" } },
);
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));

const skills = new SkillsClient(client);
const { skills: listed } = await skills.list();
const named = await Promise.all(JSON.parse(uris).map(async (uri) => (await skills.get(uri)).skill));
const read = {};
for (const skill of [...listed, ...named]) {
  read[skill.uri] = {};
  for (const { uri } of skill.resources) {
    try {
      const file = await skills.read(skill, uri);
      read[skill.uri][uri] = Buffer.from(file.bytes).toString("base64");
    } catch (error) {
      if (error.reason !== "frontmatter") throw error;
      read[skill.uri][uri] = null;
    }
  }
}
console.log(JSON.stringify(read));
await client.close();
