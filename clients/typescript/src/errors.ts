import type { Document } from "./types.js";

/** The codes of the API, as `error` in its answers; 0 is a failure that is not the API's, such as a proxy's. */
export type ErrorCode = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** A failure that the server reports. Failures of the network are what `fetch` throws. */
export class ParleyError extends Error {
  override readonly name = "ParleyError";
  /** The status of HTTP; 0 for an error in the middle of a stream. */
  readonly status: number;
  readonly code: ErrorCode;
  /** Names the failure precisely, such as `conversation_busy`. Later versions may add names. */
  readonly reason: string;
  /** Names the request in the server's log. */
  readonly requestId: string;
  /** When the server wants to be asked again, in milliseconds; 0 if it did not say. */
  readonly retryAfter: number;

  constructor(message: string, about: { status?: number; code: ErrorCode; reason?: string; requestId?: string; retryAfter?: number }) {
    super(message);
    this.status = about.status ?? 0;
    this.code = about.code;
    this.reason = about.reason ?? "";
    this.requestId = about.requestId ?? "";
    this.retryAfter = about.retryAfter ?? 0;
  }

  /** Whether the same request may succeed later. An error within a stream is its end. */
  get mayRetry(): boolean {
    return this.status !== 0 && (this.code === 7 || this.code === 8);
  }
}

/** A document could not be read. `message` says why, and what you can do. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";

  constructor(readonly document: Document) {
    super(document.reason || "The document could not be read.");
  }
}

/** Reads what a server, or a proxy in front of it, says of a failure. */
export async function failure(response: Response): Promise<ParleyError> {
  let code: ErrorCode = 0;
  let message = `The server answered ${response.status}.`;
  try {
    const body = (await response.json()) as { error?: unknown; error_message?: unknown };
    if (typeof body.error === "number" && typeof body.error_message === "string") {
      code = body.error as ErrorCode;
      message = body.error_message;
    }
  } catch {
    // not the API's answer
  }
  if (code === 0) {
    if (response.status === 429) code = 7;
    if ([502, 503, 504].includes(response.status)) code = 8;
  }
  return new ParleyError(message, {
    status: response.status,
    code,
    reason: response.headers.get("X-Error-Code") ?? "",
    requestId: response.headers.get("X-Request-Id") ?? "",
    retryAfter: 1000 * (Number(response.headers.get("Retry-After")) || 0),
  });
}
