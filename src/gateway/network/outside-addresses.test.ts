import assert from 'node:assert/strict';
import type { lookup } from 'node:dns';
import { describe, test } from 'node:test';
import { Refusal } from '../../base/errors.ts';
import { checkUpstreams } from './check-upstreams.ts';
import { guardedLookup } from './guarded-lookup.ts';
import { onwardHeaders } from '../calls/headers.ts';
import { findRoute } from '../calls/call-route.ts';
import { mayDial, networkReach } from './private-addresses.ts';

const NOT_PUBLIC = [
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '100.127.255.254',
  '127.0.0.1',
  '127.8.8.8',
  '0.0.0.0',
  '0.1.2.3',
  '169.254.169.254',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:10.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::a00:1',
  '64:ff9b:1::1',
  '2002:7f00:1::',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
];

describe('addresses that a name resolves to (M9)', () => {
  for (const address of NOT_PUBLIC)
    test(`${address} is not dialled for a host that the settings do not list`, () => {
      assert.equal(mayDial(address, networkReach('docs.example', ['other.example'])), false);
    });

  test('a listed private host is dialled, and so is localhost', () => {
    const named = networkReach('house.example', ['house.example']);
    assert.deepEqual(
      ['10.1.2.3', 'fd00::1', '127.0.0.1', '8.8.8.8', '169.254.169.254'].map((address) =>
        mayDial(address, named),
      ),
      [true, true, true, true, false],
    );
    const here = networkReach('localhost', []);
    assert.deepEqual(
      ['127.0.0.1', '::1', '10.0.0.1', '8.8.8.8'].map((address) => mayDial(address, here)),
      [true, true, false, false],
    );
  });

  test('the checked address is dialled, and the name is resolved once', () => {
    let lookups = 0;
    const answers = [['93.184.216.34'], ['93.184.216.34', '10.0.0.1'], ['127.0.0.1']];
    const resolve = ((_host: string, _options: object, done: (...args: unknown[]) => void) => {
      const found = answers[lookups] ?? [];
      lookups += 1;
      done(
        null,
        found.map((address) => ({ address, family: 4 })),
      );
    }) as unknown as typeof lookup;
    const results: unknown[] = [];
    const look = guardedLookup({}, resolve);
    for (let times = 0; times < 3; times += 1)
      look('docs.example', {}, (error, address) => results.push(error?.code ?? address));
    assert.deepEqual(
      [lookups, results],
      [3, ['93.184.216.34', 'PRIVATE_ADDRESS', 'PRIVATE_ADDRESS']],
    );
  });
});

describe('a provider address without encryption (L10)', () => {
  const upstreams = (base: string) => ({
    anthropic: { base, credential: { kind: 'key', value: 'sk' } as const },
  });
  const cases: [base: string, isAccepted: boolean][] = [
    ['https://api.example', true],
    ['http://127.0.0.1:8080', true],
    ['http://localhost:8080/v1', true],
    ['http://[::1]:8080', true],
    ['http://house.example:11434', true],
    ['http://192.168.1.7:11434', true],
    ['http://api.example', false],
    ['http://192.168.1.8:11434', false],
    ['http://127.0.0.1.example', false],
    ['http://localhost.example', false],
    ['ftp://api.example', false],
    ['api.example', false],
  ];
  for (const [base, isAccepted] of cases)
    test(`${base} is ${isAccepted ? 'accepted' : 'refused'}`, () => {
      const check = (): void => checkUpstreams(upstreams(base), ['house.example', '192.168.1.7']);
      if (isAccepted) check();
      else assert.throws(check, Refusal);
    });
});

describe('the parts of a request that are forwarded (L6)', () => {
  test('are headers that the CLIs need, and no others', () => {
    const sent = {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'x-stainless-lang': 'js',
      'openai-organization': 'org-of-another',
      'openai-project': 'another',
      'x-goog-user-project': 'another',
      'x-http-method-override': 'DELETE',
      'x-http-method': 'DELETE',
      'x-original-url': '/v1/files',
      'anthropic-workspace-id': 'another',
      'x-unheard-of': '1',
    };
    const credential = { kind: 'key', value: 'sk' } as const;
    assert.deepEqual(onwardHeaders(sent, 'anthropic', credential, 2), {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'x-stainless-lang': 'js',
      'x-api-key': 'sk',
      'accept-encoding': 'identity',
      'content-length': 2,
    });
  });

  test('are parameters that the CLIs need, and no others', () => {
    const query = 'alt=sse&$httpMethod=DELETE&key=x&%24httpMethod=GET&userProject=y&beta=true';
    const plain = query.replace('%24httpMethod=GET&', '');
    const path = '/v1beta/models/gemini-3-pro:streamGenerateContent';
    assert.equal(findRoute('POST', `${path}?${plain}`, {})?.target, `${path}?alt=sse&beta=true`);
    assert.equal(findRoute('POST', `${path}?${query}`, {}), undefined);
  });
});
