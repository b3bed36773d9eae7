/**
 * An owner with a reaper and an agent whose tool has cleared its environment, so that only its
 * process group shows whose it is. Prints their pids and waits for its death. Usage:
 * has-bare-tool.ts TAG
 */
import { ProcessGroup } from '../../../src/host/process/process-group.ts';
import { Reaper } from '../../../src/host/process/reaper.ts';
import { systemClock } from '../../../src/host/machine/system-clock.ts';

const [tag = ''] = process.argv.slice(2);
const reaper = new Reaper(tag);
const script = 'env -i /bin/sleep 1000 & echo "$$ $!"; wait';
const agent = new ProcessGroup(
  { argv: ['/bin/sh', '-c', script], cwd: '/', env: { PATH: '/usr/bin:/bin' } },
  {
    tag: `${tag}/run/attempt-1`,
    clock: systemClock,
    onStdout: async (chunk) => {
      process.stdout.write(`${reaper.pid ?? ''} ${Buffer.from(chunk).toString()}`);
    },
  },
);
await agent.ended;
