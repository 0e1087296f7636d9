export type AttributeValue = string | number | boolean;

/**
 * A piece of work, timed. It is handed on to whatever does a part of it: nothing here is ambient, because an
 * `AsyncLocalStorage` makes every promise of the process slower.
 *
 * Attributes follow the rule of metric labels: words and ids of ours, never a key, a token, an address of a client, an
 * account or a URL. Of an error only its class and reason are kept, because messages may hold anything.
 */
export interface Span {
  /** False: nothing is kept, and attributes need not be made. */
  readonly isRecording: boolean;
  /** What another process goes on from, for the W3C header `traceparent`; undefined when tracing is off. */
  readonly traceparent: string | undefined;

  /** A part of this work, done here. */
  child(name: string): Span;

  /** A part of this work that another process does while this one waits. */
  call(name: string): Span;

  set(attribute: string, value: AttributeValue): void;

  /**
   * Why the work came to nothing: an error, or the HTTP status of one. A fault marks the span as failed; a refusal,
   * which is an answer, does not.
   */
  failed(error: unknown): void;

  /**
   * Ends the span when the work ends, well or not.
   *
   * @returns the same promise
   * @example await span.child('sign').until(signer.sign(digest))
   */
  until<T>(work: Promise<T>): Promise<T>;

  end(): void;
}

/** Where traces of this process begin. */
export interface Tracer {
  /** False: every span is {@link NO_SPAN}, for good. */
  readonly isOn: boolean;

  /** Work that another process asked for. @param traceparent its header, if it sent one; a malformed one counts as none */
  serve(name: string, traceparent?: string): Span;

  /** Work that this process does by itself. */
  begin(name: string): Span;

  /** Sends what is left, for two seconds at the most. Never rejects. */
  close(): Promise<void>;
}
