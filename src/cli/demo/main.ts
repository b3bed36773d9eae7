/** `npm start`: the main job, live, in a throw-away folder. No keys, no Docker, no network. */
import { processFace } from '../process-face.ts';
import { paint } from '../face.ts';
import { Stage } from './stage.ts';
import { Story } from './story.ts';
import type { Viewer } from './story.ts';
import { watchKeys } from './keys.ts';

const face = processFace();
face.out(
  `${paint(face, 'bold', 'Supervisor')} runs coding agents the way an operating system runs processes.\n`,
);
face.out(
  `${paint(face, 'dim', 'One task, and we kill -9 ourselves in the middle of it. Nothing may be lost.')}\n\n`,
);

const keys = watchKeys(process.stdin);
const viewer: Viewer = { isThere: keys.isThere, pressed: keys.pressed };
const stop = new AbortController();
keys.onInterrupt(() => stop.abort());

let good = false;
{
  await using stage = new Stage(face);
  const interrupted = new Promise<false>((resolve) =>
    stop.signal.addEventListener('abort', () => resolve(false)),
  );
  good = await Promise.race([new Story(stage, viewer).play(), interrupted]);
}
keys.close();

if (good) {
  face.out(`\n${paint(face, 'bold', 'Try next')}\n`);
  face.out(
    '  npx supervisor doctor                               what this machine has and lacks\n',
  );
  face.out('  npx supervisor run "write a haiku" --agent scripted  a run of your own\n');
  face.out('  npx supervisor --help                               everything else\n');
}
// A viewer who leaves early leaves with the code of Ctrl-C.
process.exit(good ? 0 : stop.signal.aborted ? 130 : 1);
