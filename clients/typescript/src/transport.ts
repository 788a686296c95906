import { failure, ParleyError } from "./errors.js";

/** The longest wait before a try, also when the server asks for a longer one. */
const maxPause = 60_000;

/** A connection that was not made, or broke. */
export class Cut extends Error {
  override readonly name = "Cut";
}

/** One call of the API. */
export interface Call {
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  path: string;
  query?: Record<string, string>;
  /** A form as it is, and anything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** What is not found after an answer was lost has been deleted. */
  deletes?: boolean;
}

/** Sends requests, again if need be. */
export class Transport {
  constructor(
    private readonly baseURL: string,
    private readonly headers: Record<string, string>,
    private readonly endUser: string | undefined,
    private readonly fetch: typeof globalThis.fetch,
    readonly tries: number,
    private readonly pause: number,
  ) {}

  /** Sends a request, again if need be, and returns the data of its answer. */
  async data<T>(call: Call): Promise<T> {
    let lost = false;
    for (let tried = 1; ; tried++) {
      try {
        const response = await this.send(call);
        return await this.read<T>(response);
      } catch (error) {
        if (call.deletes && lost && error instanceof ParleyError && error.status === 404) return undefined as T;
        lost ||= error instanceof Cut;
        if (tried >= this.tries || !mayRetry(error, call.signal)) throw cause(error);
        await this.wait(tried, error, call.signal);
      }
    }
  }

  private async read<T>(response: Response): Promise<T> {
    try {
      return ((await response.json()) as { data: T }).data;
    } catch (error) {
      throw new Cut("The answer could not be read.", { cause: error });
    }
  }

  /** Sends a request once. */
  async send(call: Call): Promise<Response> {
    const query = new URLSearchParams(call.query ?? {});
    const headers = { ...this.headers, ...call.headers };
    if (this.endUser !== undefined && fitsHeader(this.endUser)) headers["X-External-User-Id"] = this.endUser;
    else if (this.endUser !== undefined) query.append("external_user_id", this.endUser);
    const init: RequestInit = { method: call.method, headers };
    if (call.body instanceof FormData) {
      init.body = call.body;
    } else if (call.body !== undefined) {
      init.body = JSON.stringify(call.body);
      headers["Content-Type"] = "application/json";
    }
    if (call.signal) init.signal = call.signal;
    let response: Response;
    try {
      response = await this.fetch(this.baseURL + call.path + (query.toString() && `?${query}`), init);
    } catch (error) {
      throw new Cut("The server cannot be reached.", { cause: error });
    }
    if (!response.ok) throw await failure(response);
    return response;
  }

  /** Waits twice as long each time, with jitter, or as long as the server asks for. */
  async wait(tried: number, after: unknown, signal?: AbortSignal): Promise<void> {
    const pause = this.pause * 2 ** (tried - 1) * (0.5 + Math.random());
    const asked = after instanceof ParleyError ? after.retryAfter : 0;
    await sleep(Math.min(asked || pause, maxPause), signal);
  }
}

/** Waits, and fails with the signal's reason if that comes first. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Whether a header carries a text as it is. */
function fitsHeader(text: string): boolean {
  return /^[!-~]([ -~]*[!-~])?$/.test(text);
}

export function mayRetry(error: unknown, signal?: AbortSignal): boolean {
  if (signal?.aborted) return false;
  return error instanceof ParleyError ? error.mayRetry : error instanceof Cut;
}

/** What callers see: for a broken connection, what `fetch` threw. */
export function cause(error: unknown): unknown {
  return error instanceof Cut ? (error.cause ?? error) : error;
}
