/**
 * Checks the lock files. A package without an integrity hash is whatever the registry serves on the
 * day of the install.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

type Locked = { readonly integrity?: string; readonly dev?: boolean; readonly resolved?: string };

function lockedPackages(lock: string): readonly [path: string, locked: Locked][] {
  const { packages } = JSON.parse(readFileSync(new URL(`../${lock}`, import.meta.url), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  return Object.entries(packages).filter(([path]) => path !== '');
}

describe('the lock file', () => {
  test('has an integrity hash for every production package, builds for other machines included', () => {
    const packages = lockedPackages('package-lock.json').filter(([, { dev }]) => dev !== true);
    assert.ok(packages.length > 20, 'the lock file names the production packages');
    const without = packages.filter(
      ([, { integrity }]) => integrity?.startsWith('sha512-') !== true,
    );
    assert.deepEqual(without, []);
  });

  for (const lock of ['package-lock.json', 'test/real/package-lock.json'])
    test(`names no registry: ${lock}`, () => {
      const named = lockedPackages(lock).filter(([, { resolved }]) => resolved !== undefined);
      assert.deepEqual(named, []);
    });
});
