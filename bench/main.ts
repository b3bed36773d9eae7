/**
 * `npm run bench -- bare [clis=claude,codex] [faults=500 error]`: the real CLIs alone, beside the same under an owner.
 * `npm run bench [-- --json] [-- --strict]`: speed as ratios inside one run, each with its yardstick and its bar.
 * Figures of a machine that does something else at the same time say little: run it alone.
 */
import { FAULTS } from '../test/real/fault-row.ts';
import { CLIS } from '../test/real/walled-clis.ts';
import { measureAttempt } from './attempt.ts';
import { measureAgents } from './agents.ts';
import { measureBare, sayBare } from './bare.ts';
import { measureCommands } from './commands.ts';
import { measureContext } from './context.ts';
import { measureFlood } from './flood.ts';
import { measureGateway } from './gateway.ts';
import { measureJournal } from './journal.ts';
import { measureOwner } from './owner.ts';
import { measureSandbox } from './sandbox.ts';
import { measureSpawn } from './spawn.ts';
import { measureStartup } from './startup.ts';
import type { SupervisionFigures } from './supervision.ts';
import { measureSupervision } from './supervision.ts';

type Figure = {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly yardstick: string;
  /** The bar: what it must not fall below, or rise above; undefined where it is only told. */
  readonly atLeast?: number;
  readonly atMost?: number;
};

/** For the first byte through the gateway, in ms, by the size of the request. */
const FIRST_BYTE_BARS = [3, 15, 60];
const FLOOD_BYTES = 1_000_000_000;

async function figures(say: (what: string) => void): Promise<readonly Figure[]> {
  // First, in a process that has not grown yet.
  say('a flood of 1 GB');
  const flood = await measureFlood(FLOOD_BYTES);
  say('journal');
  const journal = await measureJournal();
  say('commands');
  const commands = await measureCommands(500);
  say('packing a context');
  const context = await measureContext();
  say('spawn');
  const spawn = await measureSpawn(60);
  say('an attempt');
  const attempt = await measureAttempt(60);
  say('sandbox');
  const sandbox = await measureSandbox(30, 10);
  say('supervision');
  const supervision = await measureSupervision(2000);
  say('start-up');
  const startup = await measureStartup(15);
  say('gateway');
  const gateway = await measureGateway();
  say('a whole owner');
  const owner = await measureOwner(200);
  say('a thousand agents that live long');
  const agents = await measureAgents(1000);
  return [
    {
      name: 'durable append',
      value: journal.durableRatio,
      unit: '×',
      yardstick: 'raw node:sqlite, one commit an event',
      atLeast: 0.8,
    },
    {
      name: 'batched append',
      value: journal.batchedRatio,
      unit: '×',
      yardstick: 'raw node:sqlite, one transaction',
      atLeast: 0.5,
    },
    {
      name: 'durable no-op command',
      value: commands.msPerCommand,
      unit: 'ms',
      yardstick: 'begun and ended on SQLite',
      atMost: 1,
    },
    {
      name: 'packing a context',
      value: context.coldRatio,
      unit: '×',
      yardstick: "repomix's time on the same files",
      atMost: 1.2,
    },
    {
      name: 'packing it again',
      value: context.cachedRatio,
      unit: '×',
      yardstick: 'faster than repomix',
      atLeast: 20,
    },
    {
      name: 'memory of packing',
      value: context.memoryRatio,
      unit: '×',
      yardstick: "repomix's peak",
      atMost: 1,
    },
    {
      name: 'imports of 1000 files',
      value: context.importsOfThousandMs,
      unit: 'ms',
      yardstick: 'read, parsed and resolved',
      atMost: 1000,
    },
    {
      name: 'spawn through host/',
      value: spawn.overheadMedianMs,
      unit: 'ms',
      yardstick: 'over raw spawn, median',
      atMost: 3,
    },
    {
      name: 'attempt without a sandbox',
      value: attempt.overheadMedianMs,
      unit: 'ms',
      yardstick: 'over the bare no-op, from begun to ended',
      atMost: 10,
    },
    {
      name: 'a whole run of it',
      value: attempt.runOverheadMedianMs,
      unit: 'ms',
      yardstick: 'over the bare no-op, from submitted to ended',
    },
    {
      name: 'bubblewrap',
      value: sandbox.bubblewrapOverheadMs,
      unit: 'ms',
      yardstick: sandbox.hasCgroup
        ? 'over raw spawn, with cgroups'
        : 'over raw spawn, without cgroups',
    },
    {
      name: 'bubblewrap with a gateway',
      value: sandbox.gatewayOverheadMs,
      unit: 'ms',
      yardstick: 'over raw spawn, median',
      atMost: 60,
    },
    ...(sandbox.dockerRatio === undefined
      ? []
      : [
          {
            name: 'docker',
            value: sandbox.dockerRatio,
            unit: '×',
            yardstick: 'bare docker run of the same image',
            atMost: 1.2,
          },
        ]),
    {
      name: 'memory over a 1 GB flood',
      value: flood.rssGrowthMb,
      unit: 'MB',
      yardstick: 'before the flood',
      atMost: 50,
    },
    {
      name: 'event-loop delay in a flood',
      value: flood.loopDelayP99Ms,
      unit: 'ms',
      yardstick: 'p99',
    },
    {
      name: 'supervisor --version',
      value: startup.versionRatio,
      unit: '×',
      yardstick: 'node -e 0',
      atMost: 2,
    },
    {
      name: 'supervisor status',
      value: startup.statusRatio,
      unit: '×',
      yardstick: 'node -e 0, owner up',
    },
    ...gateway.addedFirstByteMs.map(({ bytes, ms }, at) => ({
      name: `gateway, ${bytes / 1000} kB asked`,
      value: ms,
      unit: 'ms',
      yardstick: 'first byte, over a direct call, median',
      atMost: FIRST_BYTE_BARS[at] ?? 0,
    })),
    {
      name: `event-loop delay, ${gateway.streams} streams`,
      value: gateway.loopDelayP99Ms,
      unit: 'ms',
      yardstick: 'p99',
      atMost: 20,
    },
    {
      name: 'stop beside a flood',
      value: owner.stopBesideFloodMs - owner.stopAloneMs,
      unit: 'ms',
      yardstick: 'over a stop alone, median',
      atMost: 50,
    },
    {
      name: `owner with ${owner.quietAttempts} attempts`,
      value: owner.ownerRssMb,
      unit: 'MB',
      yardstick: 'resident memory',
      atMost: 150,
    },
    {
      name: `owner with ${agents.agents} agents`,
      value: Math.max(agents.ownerRssMb, agents.nextOwnerRssMb),
      unit: 'MB',
      yardstick: `resident memory, all idle; ${agents.nextOwnerRssMb.toFixed(0)} when taken up`,
      atMost: 200,
    },
    {
      name: `spawn beside ${agents.agents} agents`,
      value: agents.spawnMs,
      unit: 'ms',
      yardstick: 'asked to answered',
    },
    ...supervisionFigures(supervision),
  ];
}

/** Flat from the smallest window to the largest; OTP's own restarts beside ours, where it is here. */
function supervisionFigures({
  decisionNs,
  restartsPerSecond,
  otpRestartsPerSecond,
}: SupervisionFigures): readonly Figure[] {
  const smallest = decisionNs.get(10) ?? Number.NaN;
  return [...decisionNs].flatMap(([window, ns]): Figure[] => {
    const perSecond = restartsPerSecond.get(window) ?? Number.NaN;
    const otp = otpRestartsPerSecond?.get(window);
    return [
      {
        name: `restart decision of ${window}`,
        value: ns / smallest,
        unit: '×',
        yardstick: `a window of 10 restarts; ${ns.toFixed(0)} ns`,
        atMost: 3,
      },
      {
        name: `restarts/s, ${window} in window`,
        value: perSecond / (otp ?? perSecond),
        unit: '×',
        yardstick: `OTP's own: ${otp ?? 'not here'}; ours: ${perSecond}`,
      },
    ];
  });
}

function isMet({ value, atLeast = -Infinity, atMost = Infinity }: Figure): boolean {
  return value >= atLeast && value <= atMost;
}

function line(figure: Figure): string {
  const { name, value, unit, yardstick, atLeast, atMost } = figure;
  const bar = atLeast !== undefined ? `≥ ${atLeast}` : atMost !== undefined ? `≤ ${atMost}` : '';
  const mark = bar === '' ? ' ' : isMet(figure) ? '✓' : '✗';
  return `${mark} ${name.padEnd(30)} ${value.toFixed(2).padStart(8)} ${unit.padEnd(3)} ${bar.padEnd(7)} ${yardstick}`;
}

const args = new Set(process.argv.slice(2));
if (args.has('bare')) {
  const given = process.argv.slice(2).filter((word) => word.includes('='));
  const named = (key: string): readonly string[] | undefined =>
    given
      .find((word) => word.startsWith(`${key}=`))
      ?.slice(key.length + 1)
      .split(',');
  const clis = CLIS.filter((cli) => named('clis')?.includes(cli) ?? true);
  const known: readonly string[] = [...CLIS, ...Object.keys(FAULTS)];
  const unknown = ['clis', 'faults']
    .flatMap((key) => named(key) ?? [])
    .filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    process.stderr.write(`There is no ${unknown.join(', ')}. Known: ${known.join(', ')}.\n`);
    process.exit(2);
  }
  await measureBare(clis, named('faults'), (row) => process.stdout.write(`${sayBare(row)}\n`));
  process.exit(0);
}
const measured = await figures((what) => process.stderr.write(`measuring: ${what} …\n`));
process.stdout.write(
  args.has('--json')
    ? `${JSON.stringify(measured, null, 2)}\n`
    : `${measured.map(line).join('\n')}\n`,
);
process.exitCode = args.has('--strict') && !measured.every(isMet) ? 1 : 0;
