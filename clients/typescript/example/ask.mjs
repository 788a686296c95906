// Asks a chatbot a question and prints the answer while it is written:
//
//   PARLEY_URL=https://parley.example.com/api/v1 PARLEY_TOKEN=parley_… node example/ask.mjs "When do you open?"
import { Parley } from "@parley/client";

const parley = new Parley({ baseURL: process.env.PARLEY_URL, token: process.env.PARLEY_TOKEN });
for await (const event of parley.stream(process.argv.slice(2).join(" "), { include: ["sources"] })) {
  if (event.type === "delta") process.stdout.write(event.content);
  if (event.type === "restarted") process.stdout.write("\n\nOnce more:\n\n");
  if (event.type === "sources") {
    for (const source of event.sources.filter((s) => s.cited)) console.log(`\n[${source.number}] ${source.title} ${source.url ?? ""}`);
  }
}
