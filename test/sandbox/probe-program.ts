/** A separate process that runs all probes as its user, and prints the report. */
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { systemRandom } from '../../src/host/machine/system-random.ts';
import type { Backend } from '../../src/sandbox/policy.ts';
import { probeFacts } from '../../src/sandbox/probe-facts.ts';
import { PROBES, runProbes } from '../../src/sandbox/probes/run-probes.ts';

const [backend = 'bubblewrap', image = ''] = process.argv.slice(2);
const report = await runProbes(
  PROBES.filter(({ unsandboxed }) => backend !== 'none' || unsandboxed !== 'unsafe'),
  {
    clock: systemClock,
    random: systemRandom,
    facts: probeFacts(process.env),
    backend: backend as Backend,
    protectedPaths: { userDir: '/nonexistent', stateDir: '/nonexistent/.supervisor' },
  },
  {
    tag: `probe-program-${process.pid}`,
    unsafe: backend === 'none',
    image: image === '' ? null : image,
  },
);
process.stdout.write(JSON.stringify(report));
