/** A clock that is wrong, an id that fits several runs, an owner of another version, and a key in quotation marks. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe } from 'node:test';
import { at } from '../../../src/base/clock.ts';
import { homeAt } from '../../../src/host/machine/state-home.ts';
import { PROTOCOL_VERSION } from '../../../src/protocol/api.ts';
import { runStream } from '../../../src/protocol/streams.ts';
import { SqliteJournal } from '../../../src/store/sqlite/sqlite-journal.ts';
import { runEvent } from '../../support/run-event.ts';
import { shellLine } from '../real-terminal.ts';
import type { ClumsyCase, ClumsyWorld } from './clumsy-world.ts';
import { folder, testClumsyCases } from './clumsy-world.ts';

const RUN = ['run', 'x', '--agent', 'scripted'];

/** A home of its own, whose owner ends with the case. */
function ownHome(
  name: string,
): Pick<ClumsyCase, 'env'> & { readonly shell: ClumsyCase['shell'] & {} } {
  return {
    env: (world) => ({ SUPERVISOR_HOME: world.at(name) }),
    shell: (typed, world) => `${typed}; code=$?; ${quietly(world, ['down'])}; exit $code`,
  };
}

function quietly(world: ClumsyWorld, args: readonly string[]): string {
  return `${shellLine(world.harness.argv(args))} >/dev/null 2>&1`;
}

/** Ten years ago, for a command and the owner that it starts. */
const LONG_AGO = `NODE_OPTIONS='--import=data:text/javascript,const%20now=Date.now;Date.now=()=>now()-315360000000'`;

/** First a run at the right time, then the command after the clock was set back. */
function afterSetBack(index: number): Pick<ClumsyCase, 'env' | 'shell'> {
  const { env, shell } = ownHome(`clock-${index}`);
  return {
    ...(env === undefined ? {} : { env }),
    shell: (typed, world) =>
      `${quietly(world, RUN)}; ${quietly(world, ['down'])}; export ${LONG_AGO}; ${shell(typed, world)}`,
  };
}

const CLOCKS: readonly ClumsyCase[] = (
  [
    [['status'], /^No active runs/],
    [['status', '--all'], /^[0-9a-f]{10} {2}unverified {2}scripted .* {2}x\n/],
    [['why', 'last'], /^Run [0-9a-f]{10} {2}unverified\n[^]*says it is done/],
    [['report'], /^The last 12h00m {2}1 unverified, 1 attempt\n/],
    [['events', '--run', 'last'], /attempt-1 begins with scripted/],
    [RUN, /unverified/],
  ] as const
).map(([args, says], index) => ({
  act: `the clock is set back ten years before ${args.join(' ')}`,
  args,
  prepare: (world) => folder(world, 'elsewhere', 0o755),
  ...afterSetBack(index),
  code: 0,
  says,
}));

/** Runs of a program that this release does not have: they stay active and do nothing. */
async function writeTwins(world: ClumsyWorld, name: string): Promise<void> {
  mkdirSync(world.at(name), { mode: 0o700 });
  const journal = SqliteJournal.open(homeAt(world.at(name), world.harness.dir).journal);
  const project = world.project;
  for (const id of ['ab00000001', 'ab00000002', 'cd00000003']) {
    const payload = { program: 'gone', task: `do ${id}`, project, settings: {} };
    const event = runEvent({ type: 'run.submitted', payload });
    await journal.append(runStream(id), 0, [event], at(Date.now()));
  }
  await journal.close();
}

const TWINS: readonly ClumsyCase[] = ['stop', 'why', 'attach', 'logs', 'diff'].map((command) => ({
  act: `the beginning of an id fits two runs before ${command}`,
  args: [command, 'ab'],
  prepare: (world) => writeTwins(world, `twins-${command}`),
  ...ownHome(`twins-${command}`),
  code: 2,
  says: /Several runs begin with ab: ab00000002 \(do ab00000002\), ab00000001 \(do ab00000001\)\./,
  remedy: /Add more digits of the id/,
}));

/** Answers as an owner would, and writes its pid. */
function standIn(world: ClumsyWorld, view: object): string {
  const home = homeAt(world.at('other-owner'), world.harness.dir);
  mkdirSync(home.dir, { mode: 0o700, recursive: true });
  const script = world.at('stand-in.mjs');
  writeFileSync(
    script,
    `import { createServer } from 'node:http';
const view = { ...${JSON.stringify(view)}, pid: process.pid, home: ${JSON.stringify(home.dir)} };
createServer((request, response) => response.end(JSON.stringify(view))).listen(${JSON.stringify(home.socket)});
`,
  );
  return script;
}

const VIEW = {
  product: 'supervisor',
  protocol: PROTOCOL_VERSION,
  version: '99.0.0',
  startedAt: 0,
  runs: 2,
  commands: 1,
  api: null,
  staysWhenIdle: false,
  defects: [],
};

const OWNERS: readonly ClumsyCase[] = (
  [
    ['is newer and busy', VIEW],
    ['is newer and has more to say', { ...VIEW, protocol: 99, mood: 'good' }],
    ['is older and busy', { ...VIEW, version: '0.0.1', protocol: 0 }],
  ] as const
).map(([what, view]) => ({
  act: `the owner ${what}`,
  args: ['status'],
  env: (world) => ({ SUPERVISOR_HOME: world.at('other-owner') }),
  shell: (typed, world) => {
    const script = standIn(world, view);
    const { socket } = homeAt(world.at('other-owner'), world.harness.dir);
    return `rm -f '${socket}'; '${process.execPath}' '${script}' & owner=$!
      until test -S '${socket}'; do sleep 0.05; done
      ${typed}; code=$?; kill $owner; exit $code`;
  },
  code: 1,
  says: /The owner \(pid \d+\) has version \d+\.0\.\d and active runs; this command has version /,
  remedy: /Wait until its runs end, or shut it down with: supervisor owner stop/,
}));

const KEYS: readonly ClumsyCase[] = (
  [
    [
      'is in quotation marks',
      '"sk-ant-api03-0123456789"',
      /ANTHROPIC_API_KEY has a quotation mark/,
    ],
    ['has a line end', 'sk-ant-api03-0123456789\n', /ANTHROPIC_API_KEY has a blank or a line end/],
  ] as const
).map(([what, key, says]) => ({
  act: `the key ${what}`,
  args: ['run', 'x', '--agent', 'claude', '--unsafe-no-sandbox'],
  ...ownHome('keys'),
  env: (world) => ({ ANTHROPIC_API_KEY: key, SUPERVISOR_HOME: world.at('keys') }),
  code: 2,
  says: new RegExp(`^(?![^]*0123456789)[^]*${says.source}`),
  remedy: /export ANTHROPIC_API_KEY=/,
}));

describe('a clock, an id, an owner or a key that is not right', { timeout: 900_000 }, () => {
  testClumsyCases([...CLOCKS, ...TWINS, ...OWNERS, ...KEYS]);
});
