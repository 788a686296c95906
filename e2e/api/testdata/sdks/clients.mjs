// Talks with Parley through OpenAI's library for JavaScript and through the Vercel AI SDK.
//
// Each line of the input is a request of the test, as JSON, and gets one line of output.
// The arguments are the folder of the libraries, the base URL and the token.

import { createRequire } from "node:module"
import { createInterface } from "node:readline"

const [folder, baseURL, apiKey] = process.argv.slice(2)
const require = createRequire(folder + "/")
const OpenAI = require("openai")

const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
const messages = [{ role: "user", content: "When does the bakery open?" }]
const input = messages[0].content

// Places in a text are Unicode code points; strings have UTF-16 units.
const part = (text, from, to) => [...text].slice(from, to).join("")

const completion = (answer) => {
  const { message, finish_reason } = answer.choices[0]
  const cited = (message.annotations ?? []).map((a) => a.url_citation)
  return {
    text: message.content,
    finish: finish_reason,
    cited: cited.map((c) => part(message.content, c.start_index, c.end_index) + " " + c.title),
    urls: cited.map((c) => c.url),
    usage: answer.usage?.total_tokens ?? 0,
    model: answer.model,
  }
}

const response = (answer) => {
  const { text, annotations } = answer.output[0].content[0]
  return {
    text: answer.output_text,
    finish: answer.status,
    cited: annotations.map((c) => part(text, c.start_index, c.end_index) + " " + c.title),
    urls: annotations.map((c) => c.url),
    usage: answer.usage.total_tokens,
    model: answer.model,
    conversation: answer.metadata.conversation_id,
  }
}

const thrown = async (call) => {
  try {
    await call()
  } catch (error) {
    if (!(error instanceof OpenAI.APIError)) throw error
    return `${error.constructor.name} ${error.status ?? ""} ${error.code} ${error.param}`
  }
  return "nothing"
}

const tasks = {
  whole: async () => completion(await client.chat.completions.create({ model: "chatbot", messages })),

  async streamed() {
    const events = []
    const stream = client.chat.completions.stream({ model: "chatbot", messages, stream_options: { include_usage: true } })
    stream.on("content.delta", () => events.push("content.delta")).on("content.done", () => events.push("content.done"))
    return { ...completion(await stream.finalChatCompletion()), events }
  },

  whole_response: async () => response(await client.responses.create({ model: "chatbot", input })),

  async streamed_response() {
    const events = []
    const stream = client.responses.stream({ model: "chatbot", input })
    for await (const event of stream) events.push(event.type)
    return { ...response(await stream.finalResponse()), events }
  },

  async followed() {
    const first = await client.responses.create({ model: "chatbot", input })
    const second = await client.responses.create({ model: "chatbot", input: "And on Sunday?", previous_response_id: first.id })
    return { same: first.metadata.conversation_id === second.metadata.conversation_id, previous: second.previous_response_id === first.id }
  },

  async raw() {
    let text = ""
    for await (const chunk of await client.chat.completions.create({ model: "chatbot", messages, stream: true })) text += chunk.choices[0].delta.content ?? ""
    return { text }
  },

  async canceled() {
    const stream = await client.chat.completions.create({ model: "chatbot", messages, stream: true })
    for await (const chunk of stream) {
      if (!chunk.choices[0].delta.content) continue
      stream.controller.abort()
      return { text: chunk.choices[0].delta.content }
    }
  },

  async canceled_response() {
    const stream = client.responses.stream({ model: "chatbot", input })
    for await (const event of stream) {
      if (event.type !== "response.output_text.delta") continue
      stream.abort()
      return { text: event.delta }
    }
  },

  async errors() {
    const ask = (body) => client.chat.completions.create({ model: "chatbot", messages, ...body })
    const stranger = new OpenAI({ baseURL, apiKey: "parley_wrong", maxRetries: 0 })
    const image = [{ role: "user", content: [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }] }]
    return {
      thrown: [
        await thrown(() => stranger.chat.completions.create({ model: "chatbot", messages })),
        await thrown(() => ask({ model: "gpt-5" })),
        await thrown(() => ask({ metadata: { conversation_id: "4711" } })),
        await thrown(() => client.responses.create({ model: "chatbot", input, previous_response_id: "resp_1_2" })),
        await thrown(() => ask({ messages: image })),
        await thrown(() => client.models.retrieve("gpt-5")),
      ],
    }
  },

  async limited({ token }) {
    const hurried = new OpenAI({ baseURL, apiKey: token, maxRetries: 0 })
    return { thrown: [await thrown(() => hurried.models.list()), await thrown(() => hurried.models.list())] }
  },

  async used_up({ token }) {
    const patient = new OpenAI({ baseURL, apiKey: token }) // tries again by itself
    return { thrown: [await thrown(() => patient.chat.completions.create({ model: "chatbot", messages }))] }
  },

  broken: async () => ({ thrown: [await thrown(tasks.raw)] }),

  broken_response: async () => ({
    thrown: [
      await thrown(async () => {
        for await (const _ of await client.responses.create({ model: "chatbot", input, stream: true }));
      }),
    ],
  }),

  async models() {
    const models = []
    for await (const model of client.models.list()) models.push(model.id)
    return { models, model: (await client.models.retrieve("baker's chatbot")).id }
  },

  async vercel() {
    const { generateText, streamText, APICallError } = require("ai")
    const { createOpenAI } = require("@ai-sdk/openai")
    const { createOpenAICompatible } = require("@ai-sdk/openai-compatible")
    const compatible = createOpenAICompatible({ name: "parley", baseURL, apiKey, includeUsage: true })
    const openai = createOpenAI({ baseURL, apiKey })
    const asked = { system: "The customer is called Ada.", messages: [{ role: "user", content: "Is it open?" }, { role: "assistant", content: "It is closed." }, ...messages], maxRetries: 0 }
    const unstored = { providerOptions: { openai: { store: false } } }
    const found = { texts: [], usages: [], cited: [], thrown: [] }
    const take = async (text, usage, finish, sources) => {
      found.texts.push(`${await finish} ${await text}`)
      found.usages.push((await usage).totalTokens)
      for (const source of await sources) found.cited.push(`${source.sourceType} ${source.title}`)
    }
    for (const [model, more] of [[compatible("chatbot")], [openai.chat("chatbot")], [openai.responses("chatbot"), unstored]]) {
      const whole = await generateText({ model, ...asked, ...more })
      await take(whole.text, whole.usage, whole.finishReason, whole.sources)
      const streamed = streamText({ model, ...asked, ...more, onError: ({ error }) => found.thrown.push(String(error)) })
      await take(streamed.text, streamed.usage, streamed.finishReason, streamed.sources)
    }
    try {
      await generateText({ model: createOpenAICompatible({ name: "parley", baseURL, apiKey: "parley_wrong" })("chatbot"), ...asked })
    } catch (error) {
      if (!APICallError.isInstance(error)) throw error
      found.thrown.push(`${error.statusCode} ${error.message}`)
    }
    return found
  },

  async canceled_vercel() {
    const { streamText } = require("ai")
    const { createOpenAICompatible } = require("@ai-sdk/openai-compatible")
    const leaving = new AbortController()
    const { textStream } = streamText({ model: createOpenAICompatible({ name: "parley", baseURL, apiKey })("chatbot"), messages, abortSignal: leaving.signal, onError() {} })
    for await (const text of textStream) {
      leaving.abort()
      return { text }
    }
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line)
  let result
  try {
    result = await tasks[request.do](request)
  } catch (error) {
    result = { failed: error.stack ?? String(error) }
  }
  console.log(JSON.stringify(result))
}
