// Reads the Server-Sent Events of an answer, and reconnects where the connection
// breaks: every event has an id, after which the server goes on.
export class Refused extends Error {
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

const patience = [500, 1_000, 2_000, 4_000, 8_000];
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

const refusal = async (response) => {
  const envelope = await response.json().catch(() => null);
  return new Refused(envelope?.error_message || "The server gave an answer that this page does not understand. Try again.", envelope?.error ?? 0);
};

// events calls on with each event of a response, and returns whether it came to
// its end.
const events = async (response, on) => {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) {
      return false;
    }
    rest += value;
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      let id = "";
      let data = "";
      for (const line of rest.slice(0, end).split("\n")) {
        if (line.startsWith("id: ")) {
          id = line.slice(4);
        } else if (line.startsWith("data: ")) {
          data += line.slice(6);
        }
      }
      rest = rest.slice(end + 2);
      if (data === "[DONE]") {
        return true;
      }
      on(JSON.parse(data), id);
    }
  }
};

// follow reads a stream to its end. Ask begins it; Again, given the conversation,
// is the address where it goes on.
const follow = async (begin, again, on) => {
  let conversation = null;
  let last = "";
  const seen = (event, id) => {
    conversation = event.conversation_id ?? conversation;
    last = id || last;
    on(event, /^\d+/.exec(last)?.[0]); // an id begins with that of the answer
  };
  for (let tries = 0; ; tries += 1) {
    const before = last;
    try {
      const response = await (tries === 0 ? begin() : fetch(again(conversation), { headers: last ? { "Last-Event-ID": last } : {}, cache: "no-store" }));
      if (!response.ok) {
        throw await refusal(response);
      }
      if (await events(response, seen)) {
        return;
      }
    } catch (failure) {
      if (failure instanceof Refused) {
        throw failure;
      }
    }
    tries = last === before ? tries : 0;
    if ((last === "" && conversation === null) || tries >= patience.length) {
      throw new Refused("The server cannot be reached. Check your connection and try again.", 0);
    }
    await pause(patience[tries]);
  }
};

// ask sends a question.
export const ask = (api, question, on) =>
  follow(
    () => fetch(`${api}/playground/stream`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question) }),
    (conversation) => `${api}/playground/conversations/${conversation}/stream`,
    on,
  );

// resume reads the last answer of a conversation from its beginning.
export const resume = (api, conversation, on) => {
  const again = () => `${api}/playground/conversations/${conversation}/stream`;
  return follow(() => fetch(again(), { cache: "no-store" }), again, on);
};

// call is a request that answers in JSON.
export const call = async (method, address, body) => {
  let response;
  try {
    response = await fetch(address, { method, cache: "no-store", headers: body ? { "Content-Type": "application/json" } : {}, body: body && JSON.stringify(body) });
  } catch {
    throw new Refused("The server cannot be reached. Check your connection and try again.", 0);
  }
  if (!response.ok) {
    throw await refusal(response);
  }
  return (await response.json()).data;
};
