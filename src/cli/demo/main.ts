/** `npm start`: the demo, live, in a temporary folder. It needs no API keys, no Docker and no network. */
import { diagnose } from '../../doctor/diagnose.ts';
import { probeMachine } from '../../doctor/probe-machine.ts';
import { hostFacts } from '../host-facts.ts';
import { processContext } from '../process-context.ts';
import { paint } from '../cli-context.ts';
import { DemoEnvironment } from './demo-environment.ts';
import { DemoScript } from './demo-script.ts';
import { watchKeys } from './keys.ts';

/** The number of steps, and the milliseconds for each: a viewer who presses keys needs time to read. */
const INTERACTIVE = [16, 700] as const;
const UNATTENDED = [8, 350] as const;

const context = processContext();
context.out(
  `${paint(context, 'bold', 'Supervisor')} runs coding agents the way an operating system runs processes.\n`,
);

const keys = watchKeys(process.stdin);
const stop = new AbortController();
keys.onInterrupt(() => stop.abort());

const [steps, stepMs] = keys.isThere ? INTERACTIVE : UNATTENDED;
let good = false;
{
  await using environment = new DemoEnvironment(context, steps, stepMs);
  const interrupted = new Promise<false>((resolve) =>
    stop.signal.addEventListener('abort', () => resolve(false)),
  );
  good = await Promise.race([new DemoScript(environment, keys).play(), interrupted]);
}
keys.close();

if (good) {
  const facts = await probeMachine(hostFacts(context));
  const { suggestion } = diagnose(facts).verdict;
  context.out(`\n${paint(context, 'bold', 'Try next')}\n`);
  if (suggestion !== null) context.out(`  ${suggestion.because}\n    npx ${suggestion.command}\n`);
  context.out('  Check this machine, and list all commands:\n');
  context.out('    npx supervisor doctor\n    npx supervisor --help\n');
}
// Ctrl-C ends the demo early, with the exit code of an interrupt.
process.exit(good ? 0 : stop.signal.aborted ? 130 : 1);
