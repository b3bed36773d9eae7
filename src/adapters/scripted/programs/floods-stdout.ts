/** An agent in a print loop: `floods-stdout [bytes]`. The default is a gigabyte. */
import { once } from 'node:events';

const LINE = `${'all work and no play '.repeat(6)}\n`;
const BLOCK = Buffer.from(LINE.repeat(512));

let leftBytes = Number(process.argv[2] ?? 1e9);
while (leftBytes > 0) {
  const block = BLOCK.subarray(0, leftBytes);
  leftBytes -= block.length;
  if (!process.stdout.write(block)) await once(process.stdout, 'drain');
}
