// An identity provider on a port of loopback: oidc-provider, which is certified, with
// people whom its own pages sign in by name. Usage: node provider.mjs FOLDER CLIENT SECRET
// It writes its issuer, reads the redirect addresses as a line of JSON, and writes "ready".
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, client, secret] = process.argv.slice(2);
const { Provider } = await import(pathToFileURL(`${folder}/node_modules/oidc-provider/lib/index.js`));

const server = createServer();
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const issuer = `http://127.0.0.1:${server.address().port}`;
console.log(issuer);

const lines = createInterface({ input: process.stdin });
lines.once("line", (line) => {
  const provider = new Provider(issuer, {
    clients: [{ client_id: client, client_secret: secret, redirect_uris: JSON.parse(line), grant_types: ["authorization_code"], response_types: ["code"] }],
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    cookies: { keys: ["a key of the tests"] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@bakery.example`, email_verified: id !== "unverified" }),
    }),
  });
  server.on("request", provider.callback());
  console.log("ready");
});
lines.on("close", () => process.exit(0));
