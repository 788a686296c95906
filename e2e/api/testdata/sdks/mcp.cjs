// Talks with an MCP server as an agent does, and writes what it got as one object of JSON.
// Usage: NODE_PATH=…/node_modules TOKEN=… node mcp.cjs URL QUESTION
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");

async function main([url, question]) {
  const client = new Client({ name: "parley-test", version: "1.0.0" });
  const headers = { Authorization: `Bearer ${process.env.TOKEN}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  const { tools } = await client.listTools();
  const call = async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent;
  const found = await call("search", { query: question });
  const document = await call("fetch", { id: found.results[0].id });
  const answer = await call("ask", { question });
  const next = await call("ask", { question, conversation_id: answer.conversation_id });
  const unknown = await client.callTool({ name: "fetch", arguments: { id: "doc_unknown" } });
  await client.close();
  const server = client.getServerVersion().name;
  const protocol = transport.protocolVersion;
  return { server, protocol, tools: tools.map((tool) => tool.name), found, document, answer, next, unknown };
}

main(process.argv.slice(2)).then(
  (got) => console.log(JSON.stringify(got)),
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
