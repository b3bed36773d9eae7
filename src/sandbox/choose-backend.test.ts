import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { systemRandom } from '../host/machine/system-random.ts';
import { sandboxFacts as facts } from '../../test/support/sandbox-facts-fixture.ts';
import { chooseBackend, describeBackendFailure, explainNotTried } from './choose-backend.ts';
import type { BackendChoice, BackendRequest } from './choose-backend.ts';
import type { SandboxFacts } from './sandbox-facts.ts';
import type { Backend } from './policy.ts';

function without(...missing: readonly string[]): Partial<SandboxFacts> {
  const remaining = Object.entries(facts.tools).filter(([name]) => !missing.includes(name));
  return { tools: Object.fromEntries(remaining) };
}

function choose(
  wish: Partial<BackendRequest>,
  change: Partial<SandboxFacts>,
): Promise<BackendChoice> {
  return chooseBackend(
    { backend: 'auto', image: null, unsafe: false, ...wish },
    {
      clock: systemClock,
      random: systemRandom,
      facts: { ...facts, ...change },
      protectedPaths: { userDir: '/u', stateDir: '/u/.supervisor' },
      tag: 'choice',
      release: '1',
    },
  );
}

describe('a backend is not even tried', () => {
  const cases: [
    why: string,
    backend: Backend,
    change: Partial<SandboxFacts>,
    image: string | null,
    fault: string | undefined,
  ][] = [
    ['unless bubblewrap is here', 'bubblewrap', {}, null, undefined],
    ['if it is not installed', 'bubblewrap', without('bwrap'), null, 'it is not installed'],
    [
      'on a platform that does not support it',
      'bubblewrap',
      { platform: 'darwin' },
      null,
      'it is for Linux only',
    ],
    [
      'by root without setpriv',
      'bubblewrap',
      { uid: 0, ...without('setpriv') },
      null,
      'as root it needs setpriv, which is not installed',
    ],
    ['unless there is an image', 'docker', {}, 'debian:12', undefined],
    ['without an image', 'docker', {}, null, 'it needs an image, and sandbox.image names none'],
    ['without podman', 'podman', without('podman'), 'debian:12', 'it is not installed'],
    ['without macOS', 'seatbelt', {}, null, 'it is for macOS only'],
  ];
  for (const [why, backend, change, image, fault] of cases) {
    test(`${why} (${backend})`, () => {
      assert.equal(explainNotTried(backend, { image }, { ...facts, ...change }), fault);
    });
  }
});

describe('a choice', () => {
  test('without a working backend is refused, with each reason and a remedy', async () => {
    const error: unknown = await choose({}, { tools: {} }).catch((thrown: unknown) => thrown);
    assert.ok(isRefusal(error, 'sandbox.unavailable'));
    assert.equal(
      error.data.message,
      'No sandbox holds on this machine, so nothing is run (bubblewrap: it is not installed; docker: it is not installed; podman: it is not installed).',
    );
    assert.match(error.data.hint ?? '', /supervisor doctor.*--unsafe-no-sandbox/s);
  });

  test('of none needs the unsafe flag, whatever the configuration says', async () => {
    await assert.rejects(choose({ backend: 'none' }, {}), (error) =>
      isRefusal(error, 'sandbox.unavailable'),
    );
    assert.deepEqual(await choose({ backend: 'none', unsafe: true }, {}), {
      backend: 'none',
      enforced: null,
      canary: 'waived',
    });
  });

  test('on an unknown system is refused', async () => {
    await assert.rejects(choose({}, { platform: 'plan9' }), /none is known for plan9/);
  });
});

test('a failed trial reports everything that went wrong', () => {
  const row = {
    id: 'read-secret',
    area: 'secrets',
    tries: '',
    expect: 'refused',
    found: 'works',
    verdict: 'bad',
    note: '',
  } as const;
  const report = {
    backend: 'docker',
    enforced: null,
    rows: [row],
    hits: 2,
    secretSeen: true,
    failure: null,
  } as const;
  assert.equal(
    describeBackendFailure(report),
    'it does not hold: read-secret; a listener outside was reached; a secret got out',
  );
  assert.equal(describeBackendFailure({ ...report, failure: 'no image' }), 'no image');
});
