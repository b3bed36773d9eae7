/** A tool loop of a real CLI in a container, and the assertions about it for every engine. */
import assert from 'node:assert/strict';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import type { CliName } from './clis.ts';
import { shellThenFile } from './sandboxed-clis.ts';
import type { SandboxedHarness } from './sandboxed-harness.ts';
import { notesOf, resultOf, SECRET } from './sandboxed-harness.ts';

const LINE = 'env >seen-env.txt; id -u >who.txt';

/** A model that makes the CLI look around, and then write a file. */
export function loopServer(cli: CliName): Promise<ModelServer> {
  return ModelServer.start({ keys: [SECRET], script: shellThenFile(cli, LINE, 'made.txt') });
}

/** The options that make a container of this image the sandbox of a run. */
export function containedIn(backend: 'docker' | 'podman', image: string): string[] {
  return [`sandbox.backend=${backend}`, `sandbox.image=${image}`, 'sandbox.pull=never'];
}

/**
 * The run completed, its usage was recorded, it was not root and never had the key. Resolves with
 * the note of its start.
 */
export async function assertLoopInSandbox(
  at: SandboxedHarness,
  run: string,
): Promise<Readonly<Record<string, unknown>>> {
  const facts = await at.factsOf(run);
  const result = resultOf(facts);
  assert.deepEqual(
    [result['kind'], result['summary']],
    ['completed', 'All done.'],
    JSON.stringify(result),
  );
  const { inputTokens, outputTokens } = result['usage'] as Record<string, number>;
  assert.ok((inputTokens ?? 0) > 0 && (outputTokens ?? 0) > 0, JSON.stringify(result['usage']));
  const { text, files } = await at.client.diff(run);
  assert.deepEqual(
    files.map(({ path }) => path),
    ['made.txt', 'seen-env.txt', 'who.txt'],
  );
  assert.match(text, /^\+made inside$/m);
  assert.match(text, /=sv-[0-9a-f]{48}$/m);
  assert.doesNotMatch(text, new RegExp(SECRET));
  assert.doesNotMatch(text, /^\+0$/m); // not root
  const [started = {}] = notesOf(facts, 'started');
  const { files: seen, memory, pids, network } = started['enforced'] as Record<string, unknown>;
  assert.deepEqual([seen, memory, pids, network], ['namespace', 'cgroup', 'cgroup', 'namespace']);
  return started;
}
