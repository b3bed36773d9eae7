/**
 * An owner that starts a reaper and a deaf agent with a tool in a separate session, prints
 * `{"reaper":pid,"pids":[…]}` and waits for its death. With `goodbye` it closes the reaper in order
 * and leaves the agent behind.
 */
import { ProcessGroup } from '../../src/host/process/process-group.ts';
import { Reaper } from '../../src/host/process/reaper.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { scriptedAgent } from '../../src/testing/scripted-agents.ts';

const [owner = '', how] = process.argv.slice(2);
const reaper = new Reaper(owner);
const agent = new ProcessGroup(
  { argv: scriptedAgent('deaf-with-child'), cwd: '/', env: {} },
  {
    tag: `${owner}/run/attempt-1`,
    clock: systemClock,
    onStdout: async (chunk) => {
      const { pids } = JSON.parse(Buffer.from(chunk).toString()) as { pids: number[] };
      process.stdout.write(`${JSON.stringify({ reaper: reaper.pid, pids })}\n`);
      if (how !== 'goodbye') return;
      await reaper.close();
      process.exit(0);
    },
  },
);
await agent.ended;
