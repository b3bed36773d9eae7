/** An agent whose characters arrive in pieces: it writes every byte separately. */
import { once } from 'node:events';

const LINE = `${JSON.stringify({ type: 'text', text: 'naïve — 東京 🚀' })}\r\n`;
for (const byte of Buffer.from(LINE)) {
  if (!process.stdout.write(Uint8Array.of(byte))) await once(process.stdout, 'drain');
  await new Promise((resolve) => setImmediate(resolve));
}
