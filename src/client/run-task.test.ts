import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { openSupervisor } from './open-supervisor.ts';
import { runTask } from './run-task.ts';

describe('runTask', { timeout: 300_000 }, () => {
  test('reports states, messages, retries, agent switches and the end', async () => {
    await using home = await tempDir();
    await using project = await tempDir();
    const told: string[] = [];
    const result = await runTask(
      {
        task: 'do it',
        project: project.path,
        home: home.path,
        inProcess: true,
        chain: ['scripted:crashes', 'b'],
        set: ["agents=[{id: b, cli: scripted, args: ['1', '1']}]"],
      },
      {
        onState: (state) => told.push(`is ${state}`),
        onLog: (line) => told.push(line),
        onAgentSwitch: (from, to) => told.push(`from ${from} to ${to}`),
        onRetry: (count, agent, delayMs) => told.push(`retry ${count}: ${agent} in ${delayMs} ms`),
        onDone: ({ state }) => told.push(`done: ${state}`),
      },
    );
    assert.deepEqual([result.state, result.metadata.switches], ['unverified', 1]);
    const wanted = [
      'is running',
      'Let me look at the tests.',
      'from scripted:crashes to b',
      'retry 1: b in 0 ms',
      'step 1 of 1',
      'is unverified',
      'done: unverified',
    ];
    assert.deepEqual(
      wanted.filter((line) => !told.includes(line)),
      [],
      told.join('\n'),
    );
    assert.deepEqual(told.slice(-2), ['is unverified', 'done: unverified']);
  });

  test('reports each state once, and no retry without one', async () => {
    await using home = await tempDir();
    await using project = await tempDir();
    const states: string[] = [];
    await runTask(
      {
        task: 'do it',
        project: project.path,
        home: home.path,
        inProcess: true,
        agent: 'scripted',
        gates: ['true'],
        unsafe: true,
        withoutBaseline: true,
      },
      { onState: (state) => states.push(state) },
    );
    assert.deepEqual(states, [
      'queued',
      'preparing',
      'running',
      'verifying',
      'finalizing',
      'succeeded',
    ]);
  });

  test('reports a retry before its delay, with the delay', async () => {
    await using home = await tempDir();
    await using project = await tempDir();
    const stop = new AbortController();
    const told: unknown[][] = [];
    const { state, attempts } = await runTask(
      {
        task: 'do it',
        project: project.path,
        home: home.path,
        inProcess: true,
        agent: 'scripted:crashes',
        set: ['recovery.preset=retry-then-fallback'],
      },
      {
        signal: stop.signal,
        onRetry: (...retry) => {
          told.push(retry);
          stop.abort();
        },
      },
    );
    const [[count, agent, delayMs] = [], ...others] = told;
    assert.deepEqual([count, agent, others], [1, 'scripted:crashes', []]);
    assert.ok(Number(delayMs) > 0 && Number(delayMs) <= 5000, String(delayMs));
    assert.deepEqual([state, attempts.length], ['cancelled', 1]);
  });

  test('is stopped by its signal, which is an outcome and not an error', async () => {
    await using home = await tempDir();
    await using project = await tempDir();
    const stop = new AbortController();
    const { state, exit_code: code } = await runTask(
      {
        task: 'wait',
        project: project.path,
        home: home.path,
        inProcess: true,
        agent: 'scripted:never-speaks',
      },
      { signal: stop.signal, onState: (state) => state === 'running' && stop.abort() },
    );
    assert.deepEqual([state, code], ['cancelled', 130]);
  });

  test('rejects if the run cannot be created', async () => {
    await using home = await tempDir();
    await using project = await tempDir();
    const spec = {
      task: 'x',
      project: project.path,
      home: home.path,
      inProcess: true,
      agent: 'nobody',
    };
    await assert.rejects(runTask(spec), (error) => isRefusal(error, 'agent.unknown'));
  });

  test('says how to run several tasks if an owner inside a process is there already', async () => {
    await using home = await tempDir();
    await using project = await tempDir();
    await using first = await openSupervisor({ home: home.path, inProcess: true });
    const spec = { task: 'x', project: project.path, home: home.path, agent: 'scripted' };
    await assert.rejects(
      runTask({ ...spec, inProcess: true }),
      (error) =>
        isRefusal(error, 'owner.already-running') &&
        /call openSupervisor once/.test(error.data.hint ?? ''),
    );
    assert.deepEqual(await first.client.runs(), []);
  });
});
