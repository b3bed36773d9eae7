/** Reads server-sent events from a stream of bytes. */
export type Frame = { readonly event: string; readonly data: string };

export async function* readFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        const frame = parseFrame(part);
        if (frame !== undefined) yield frame;
      }
    }
  } finally {
    void reader.cancel().catch(() => undefined); // the connection may be gone already
  }
}

/** Undefined: it is a comment. */
function parseFrame(text: string): Frame | undefined {
  const lines = text.split('\n');
  const data = lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice(6));
  const event = lines.find((line) => line.startsWith('event: '))?.slice(7) ?? 'message';
  return data.length === 0 ? undefined : { event, data: data.join('\n') };
}
