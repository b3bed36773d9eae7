/** The canary: a sandbox that contains it is chosen and remembered, a fake one is not. */
import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../../src/base/errors.ts';
import type { CanaryMemory, BackendChoice } from '../../src/sandbox/choose-backend.ts';
import { chooseBackend } from '../../src/sandbox/choose-backend.ts';
import type { SandboxFacts } from '../../src/sandbox/sandbox-facts.ts';
import { tempDir } from '../support/temp-dir.ts';
import { noBubblewrap, portsFor } from './setup.ts';

function memory(): CanaryMemory & { text: string | undefined } {
  return {
    text: undefined,
    read() {
      return Promise.resolve(this.text);
    },
    write(text) {
      this.text = text;
      return Promise.resolve();
    },
  };
}

function choose(
  store: CanaryMemory,
  change: (facts: SandboxFacts) => SandboxFacts = (same) => same,
  release = '1',
): Promise<BackendChoice> {
  const { facts, clock, random, protectedPaths } = portsFor('bubblewrap');
  const ports = {
    clock,
    random,
    protectedPaths,
    facts: change(facts),
    tag: `choose-${process.pid}`,
    release,
    memory: store,
  };
  return chooseBackend({ backend: 'auto', image: null, unsafe: false }, ports);
}

/** It does everything but contain: the environment, the folder, the report of its end. */
const PRETENDER = `#!/usr/bin/perl
if ($ARGV[0] eq "--version") { print "bubblewrap 9.9\\n"; exit 0 }
open(my $given, "<&=8"); my @given = split /\\0/, join("", <$given>);
for my $at (0 .. $#given) {
  $ENV{$given[$at + 1]} = $given[$at + 2] if $given[$at] eq "--setenv";
  chdir $given[$at + 1] if $given[$at] eq "--chdir";
}
splice @ARGV, 0, 3;
my $code = system(@ARGV) >> 8;
open(my $status, ">&=7"); print $status qq({ "exit-code": $code }\\n); close $status;
exit $code;
`;

describe('auto', { skip: noBubblewrap() }, () => {
  test('chooses bubblewrap when it contains a canary, and tries it once a boot and release', async () => {
    const store = memory();
    const first = await choose(store);
    assert.deepEqual(
      [first.backend, first.canary, first.enforced?.files],
      ['bubblewrap', 'passed', 'namespace'],
    );
    assert.deepEqual(await choose(store), {
      backend: 'bubblewrap',
      enforced: null,
      canary: 'remembered',
    });
    assert.equal((await choose(store, undefined, '2')).canary, 'passed');
    assert.equal(
      (await choose({ ...store, read: () => Promise.resolve('{"passed": 3}') })).canary,
      'passed',
    );
  });

  test('does not choose a fake bubblewrap, and remembers nothing of it', async () => {
    await using dir = await tempDir();
    await chmod(dir.path, 0o755);
    const fake = join(dir.path, 'bwrap');
    await writeFile(fake, PRETENDER);
    await chmod(fake, 0o755);
    const store = memory();
    const error: unknown = await choose(store, (facts) => ({
      ...facts,
      tools: { ...facts.tools, bwrap: fake },
    })).catch((thrown: unknown) => thrown);
    assert.ok(isRefusal(error, 'sandbox.unavailable'));
    assert.match(
      error.data.message,
      /bubblewrap: it does not hold: .*write-outside.*read-secret.*a listener outside was reached; a secret got out/,
    );
    assert.equal(store.text, undefined);
  });

  test('does not choose one that can not be made here', async () => {
    const error: unknown = await choose(memory(), (facts) => ({
      ...facts,
      rootFolders: [{ kind: 'folder', path: '/no-such-folder' }],
    })).catch((thrown: unknown) => thrown);
    assert.ok(isRefusal(error, 'sandbox.unavailable'));
    assert.match(error.data.message, /the sandbox could not be created: bwrap: .*no-such-folder/);
  });
});
