// Signs in with an npm SDK and calls tools: node oauth_walk.mjs sdk|client URL PORT
// Each line of its input is [tool, arguments]. It prints {"authorize": URL} when a person must sign
// in, {"result": text} after a call, and {"error": text} when it stops.
import http from "node:http";
import readline from "node:readline";

const [name, url, port] = process.argv.slice(2);
const load = (path) => import(`@modelcontextprotocol/${name}${name === "sdk" ? path : ""}`);
const { Client } = await load("/client/index.js");
const { StreamableHTTPClientTransport } = await load("/client/streamableHttp.js");
const say = (message) => console.log(JSON.stringify(message));
const redirectUrl = `http://127.0.0.1:${port}/callback`;
const stored = {};

const provider = {
  redirectUrl,
  clientMetadata: { client_name: `The ${name}`, redirect_uris: [redirectUrl] },
  state: () => "a state / of ours",
  clientInformation: () => stored.client,
  saveClientInformation: (client) => void (stored.client = client),
  tokens: () => stored.tokens,
  saveTokens: (tokens) => void (stored.tokens = tokens),
  codeVerifier: () => stored.verifier,
  saveCodeVerifier: (verifier) => void (stored.verifier = verifier),
  discoveryState: () => stored.discovery,
  saveDiscoveryState: (discovery) => void (stored.discovery = discovery),
  invalidateCredentials(scope) {
    if (scope === "all" || scope === "client") delete stored.client;
    if (scope === "all" || scope === "tokens") delete stored.tokens;
  },
  redirectToAuthorization: (address) => say({ authorize: String(address) }),
};

const callback = new Promise((resolve) => {
  const server = http.createServer((request, response) => {
    response.end("Signed in.");
    const query = new URL(request.url, redirectUrl).searchParams;
    if (request.url.startsWith("/callback")) resolve(query) || server.close();
  });
  server.listen(port, "127.0.0.1");
});

function connect() {
  const client = new Client({ name: "walk", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
  return { client, transport, done: client.connect(transport) };
}

try {
  const first = connect();
  await first.done.catch(() => {});
  const answer = await callback;
  if (answer.get("state") !== provider.state()) throw new Error("another state");
  await first.transport.finishAuth(name === "sdk" ? answer.get("code") : answer);
  const { client, done } = connect();
  await done;
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [tool, args] = JSON.parse(line);
    const result = await client.callTool({ name: tool, arguments: args });
    say({ result: result.content[0].text });
  }
} catch (error) {
  say({ error: String(error) });
}
process.exit();
