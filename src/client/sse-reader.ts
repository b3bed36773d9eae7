/** Reads server-sent events from a byte stream. Supports only what our own server sends: `event` and one-line `data`. */
export type SseFrame = { readonly event: string; readonly data: string };

/** The owner sends small pieces. A larger frame does not come from an owner. */
const FRAME_CHARS_MAX = 64_000_000;

export async function* readSseFrames(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<SseFrame, void> {
  const decoder = new TextDecoder();
  let buffer = '';
  for await (const chunk of body) {
    buffer += decoder.decode(chunk, { stream: true });
    const parts = buffer.split('\n\n');
    buffer = parts.pop() ?? '';
    if (buffer.length > FRAME_CHARS_MAX) throw new RangeError('a server-sent event is too long');
    for (const part of parts) {
      const frame = parseSseFrame(part);
      if (frame !== undefined) yield frame;
    }
  }
}

/** Undefined for a comment, which only keeps the connection alive. */
export function parseSseFrame(text: string): SseFrame | undefined {
  let event = 'message';
  let data: string | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith('event: ')) event = line.slice(7);
    else if (line.startsWith('data: ')) data = line.slice(6);
  }
  return data === undefined ? undefined : { event, data };
}
