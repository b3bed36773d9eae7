/**
 * Fifty workflows at once on scripted agents: how long the owner's event loop is delayed meanwhile. The yardstick is the
 * time that a small process takes to start another one on the same busy machine.
 * WORKFLOWS makes it smaller.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import type { RunId } from '../src/base/ids.ts';
import { startCommandsApart } from '../src/host/process/start-command.ts';
import type { Owner } from '../src/owner/owner.ts';
import { tempDir } from '../test/support/temp-dir.ts';
import { testOwner } from '../test/support/test-owner.ts';
import type { Figure } from './figure.ts';
import { median } from './figure.ts';

const WORKFLOWS = Number(process.env['WORKFLOWS'] ?? 50);

const CONFIG = `limits: {attempts: ${WORKFLOWS}}
capacity: {runs_max: ${WORKFLOWS}, per_agent_max: ${WORKFLOWS}}
`;
const STEPS = `description: Plan, implement and review
initial_step: plan
steps:
  plan: {role: planner, next: implement}
  implement: {role: implementer, next: review}
  review: {roles: [reviewer, security_auditor], agree: any, on_reject: implement}
`;

export async function figures(): Promise<readonly Figure[]> {
  const { p99Ms, maxMs, spawnMs, seconds } = await measureWorkflows();
  return [
    {
      name: `${WORKFLOWS} workflows at once`,
      value: p99Ms,
      unit: 'ms',
      yardstick: `p99 delay of the event loop in ${seconds.toFixed(0)} s, max ${maxMs.toFixed(0)} ms; the start of a process takes ${spawnMs.toFixed(1)} ms`,
      atMost: 50,
    },
  ];
}

type WorkflowsFigures = {
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly spawnMs: number;
  readonly seconds: number;
};

async function measureWorkflows(): Promise<WorkflowsFigures> {
  await using folder = await tempDir();
  await using at = await testOwner(CONFIG, { scriptedInProject: false });
  await using _ = { [Symbol.asyncDispose]: startsApart() };
  mkdirSync(join(at.dir, 'workflows'));
  writeFileSync(join(at.dir, 'workflows', 'three.yaml'), STEPS);
  const project = folder.path;
  writeFileSync(join(project, 'README.md'), '# A shop\n');
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    [...who, 'commit', '-qm', 'first'],
  ])
    execFileSync('git', args, { cwd: project });
  await runOne(at.owner, project); // loads what is loaded on use
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const start = performance.now();
  delay.enable();
  const spawns: number[] = [];
  const over = new AbortController();
  const probing = probe(spawns, over.signal);
  await Promise.all(Array.from({ length: WORKFLOWS }, () => runOne(at.owner, project)));
  delay.disable();
  over.abort();
  await probing;
  return {
    p99Ms: delay.percentile(99) / 1e6,
    maxMs: delay.max / 1e6,
    spawnMs: median(spawns),
    seconds: (performance.now() - start) / 1000,
  };
}

/** As an owner with a socket does. */
function startsApart(): () => Promise<void> {
  return startCommandsApart({ node: process.execPath, tag: `bench-workflows/${process.pid}` });
}

async function runOne(owner: Owner, project: string): Promise<void> {
  const agent = 'scripted:plays-every-role';
  const { id } = await owner.submit({ task: 'Add a sum.', project, agent, workflow: 'three' });
  const never = new AbortController().signal;
  for await (const event of owner.followRun(id as RunId, 0, never)) void event;
  const { outcome } = await owner.run(id as RunId);
  if (outcome?.kind !== 'unverified') throw new Error(`it ended as ${JSON.stringify(outcome)}`);
}

/** A small process that starts a process each second, and prints how long that took. It does not delay the owner. */
const PROBE = `
const { spawn } = require('node:child_process');
const probe = () => {
  const start = performance.now();
  const child = spawn('/bin/true', [], { stdio: 'ignore' });
  console.log(performance.now() - start);
  child.once('close', () => setTimeout(probe, 1000));
};
probe();
`;

async function probe(spawns: number[], over: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, ['-e', PROBE], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  over.addEventListener('abort', () => child.kill('SIGKILL'));
  const printed = await text(child.stdout);
  await closed;
  spawns.push(...printed.trim().split('\n').map(Number));
}
