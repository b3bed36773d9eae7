/** Reads server-sent events from a byte stream: only what our own server sends, `event` and one-line `data`. */
export type SseFrame = { readonly event: string; readonly data: string };

/** The owner cuts output into small pieces; a frame past this is not ours. */
const FRAME_CHARS_MAX = 64_000_000;

export async function* readSseFrames(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<SseFrame, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const parts = rest.split('\n\n');
    rest = parts.pop() ?? '';
    if (rest.length > FRAME_CHARS_MAX) throw new RangeError('a frame without end');
    for (const part of parts) {
      const frame = parseSseFrame(part);
      if (frame !== undefined) yield frame;
    }
  }
}

/** Undefined for a comment, which only keeps the line alive. */
export function parseSseFrame(text: string): SseFrame | undefined {
  let event = 'message';
  let data: string | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith('event: ')) event = line.slice(7);
    else if (line.startsWith('data: ')) data = line.slice(6);
  }
  return data === undefined ? undefined : { event, data };
}
