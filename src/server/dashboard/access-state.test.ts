import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DashboardAccess, PageSession } from '../../protocol/dashboard-access.ts';
import {
  LINK_MS,
  LINKS_KEPT_MAX,
  NO_ACCESS,
  SESSION_MS,
  enter,
  findSession,
  isInUse,
  withLink,
  withoutExpired,
  withQuestionLink,
} from './access-state.ts';

const SECRETS = { id: 'aabbccdd', cookie: 'the-cookie', pageKey: 'the-key' };
const linked = withLink(NO_ACCESS, 'a-token', 'operator', 0);

function entered(now = 1): { readonly access: DashboardAccess; readonly session: PageSession } {
  const found = enter(linked, 'a-token', SECRETS, now);
  assert.ok(found !== undefined);
  return found;
}

describe('a link to the dashboard', () => {
  test('stores neither its token nor the secrets of the session', () => {
    const text = JSON.stringify([linked, entered().access]);
    for (const secret of ['a-token', 'the-cookie', 'the-key'])
      assert.ok(!text.includes(secret), secret);
  });
  test('becomes a session with its role', () =>
    assert.deepEqual(
      [entered().session.role, entered().session.expiresAt],
      ['operator', 1 + SESSION_MS],
    ));
  const refused: [why: string, access: DashboardAccess, token: string, now: number][] = [
    ['a guess', linked, 'another-token', 1],
    ['a part of the token', linked, 'a-toke', 1],
    ['an empty token', linked, '', 1],
    ['the hash of the token, as the file has it', linked, linked.links[0]?.token ?? '', 1],
    ['a token that is too old', linked, 'a-token', LINK_MS],
    ['a token that was used', entered().access, 'a-token', 2],
    [
      'the token of a question',
      withQuestionLink(NO_ACCESS, 'q', { run: 'r', key: 'k' }, 0),
      'q',
      1,
    ],
  ];
  for (const [why, access, token, now] of refused)
    test(`is refused: ${why}`, () => assert.equal(enter(access, token, SECRETS, now), undefined));
  test('is forgotten if too many others follow', () => {
    let access = linked;
    for (let count = 0; count < LINKS_KEPT_MAX; count += 1)
      access = withLink(access, `other-${count}`, 'read-only', 0);
    assert.deepEqual(
      [access.links.length, enter(access, 'a-token', SECRETS, 1)],
      [LINKS_KEPT_MAX, undefined],
    );
  });
});

describe('a session', () => {
  const { access } = entered();
  const cases: [why: string, cookie: string, key: string, now: number, expected: boolean][] = [
    ['is known by its two secrets', 'the-cookie', 'the-key', 2, true],
    ['is not known by its cookie alone', 'the-cookie', '', 2, false],
    ['is not known by its key alone', '', 'the-key', 2, false],
    ['is not known by the two the other way round', 'the-key', 'the-cookie', 2, false],
    ['ends with its time', 'the-cookie', 'the-key', 1 + SESSION_MS, false],
  ];
  for (const [why, cookie, key, now, expected] of cases)
    test(why, () => assert.equal(findSession(access, cookie, key, now) !== undefined, expected));
  test('is not known by the secrets of two sessions', () => {
    const two = withLink(access, 'b-token', 'operator', 1);
    const other = enter(two, 'b-token', { id: '11223344', cookie: 'c2', pageKey: 'k2' }, 2);
    assert.ok(other !== undefined);
    assert.equal(findSession(other.access, 'the-cookie', 'k2', 3), undefined);
  });
  test('keeps the port in use until its end', () => {
    const used = [0, SESSION_MS, SESSION_MS + 1].map((now) => isInUse(withoutExpired(access, now)));
    assert.deepEqual([...used, isInUse(NO_ACCESS)], [true, true, false, false]);
  });
});
