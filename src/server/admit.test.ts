import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import { parseListen, originRefusal, listenUrl } from './admit.ts';
import type { Listener } from './admit.ts';

const listener: Listener = { host: '127.0.0.1', port: 4242, token: 'a-token_of-43-letters' };
const known = { host: '127.0.0.1:4242', authorization: `Bearer ${listener.token}` };

function answer(headers: Readonly<Record<string, string>>, at = listener): string {
  const refusal = originRefusal({ header: (name) => headers[name] ?? null }, at);
  return refusal?.data.code ?? 'accepted';
}

describe('over TCP', () => {
  const cases: [why: string, headers: Readonly<Record<string, string>>, expected: string][] = [
    ['a program with the token', known, 'accepted'],
    ['a program that uses localhost', { ...known, host: 'LocalHost:4242' }, 'accepted'],
    ['a page of the same origin', { ...known, origin: 'http://127.0.0.1:4242' }, 'accepted'],
    ['a URL that the user typed', { ...known, 'sec-fetch-site': 'none' }, 'accepted'],
    ['case 52: no token', { host: known.host }, 'api.unauthorized'],
    ['case 52: a wrong token', { ...known, authorization: 'Bearer nope' }, 'api.unauthorized'],
    ['a prefix of the token', { ...known, authorization: 'Bearer a-token' }, 'api.unauthorized'],
    ['an empty token', { ...known, authorization: 'Bearer ' }, 'api.unauthorized'],
    [
      'case 52: the token in another scheme',
      { ...known, authorization: `Basic ${listener.token}` },
      'api.unauthorized',
    ],
    [
      'case 51: a foreign name that resolves to this machine',
      { ...known, host: 'evil.example:4242' },
      'api.forbidden',
    ],
    [
      'case 51: a foreign name without the port',
      { ...known, host: 'evil.example' },
      'api.forbidden',
    ],
    [
      'case 51: a foreign name that starts like the address',
      { ...known, host: '127.0.0.1.evil.example:4242' },
      'api.forbidden',
    ],
    ['case 51: another port', { ...known, host: '127.0.0.1:80' }, 'api.forbidden'],
    ['case 51: all addresses', { ...known, host: '0.0.0.0:4242' }, 'api.forbidden'],
    ['case 51: no host', { authorization: known.authorization }, 'api.forbidden'],
    [
      'case 50: a page of another site',
      { ...known, origin: 'https://evil.example' },
      'api.forbidden',
    ],
    [
      'case 50: a page of another port of this machine',
      { ...known, origin: 'http://127.0.0.1:3000' },
      'api.forbidden',
    ],
    ['the same host with https', { ...known, origin: 'https://127.0.0.1:4242' }, 'api.forbidden'],
    ['case 50: a page with the origin null', { ...known, origin: 'null' }, 'api.forbidden'],
    [
      'case 50: an image in a page of another site',
      { ...known, 'sec-fetch-site': 'cross-site' },
      'api.forbidden',
    ],
    [
      'case 50: a page of the same site but another origin',
      { ...known, 'sec-fetch-site': 'same-site' },
      'api.forbidden',
    ],
  ];
  for (const [why, headers, expected] of cases) {
    test(`${why}: ${expected}`, () => assert.equal(answer(headers), expected));
  }

  test('an IPv6 address is written in brackets', () => {
    const six = { ...listener, host: '::1' };
    assert.equal(answer({ ...known, host: '[::1]:4242' }, six), 'accepted');
    assert.equal(answer(known, six), 'api.forbidden');
    assert.equal(listenUrl(six), 'http://[::1]:4242');
  });
});

describe('the value of --listen', () => {
  const good: [text: string, expected: object][] = [
    ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    ['localhost:8080', { host: '127.0.0.1', port: 8080 }],
    ['[::1]:65535', { host: '::1', port: 65_535 }],
  ];
  for (const [text, expected] of good)
    test(`${text} is a local address`, () => assert.deepEqual(parseListen(text), expected));

  const bad = ['0.0.0.0:80', '[::]:80', '192.168.1.2:80', 'example.com:80', ':80', '127.0.0.1', ''];
  for (const text of [...bad, '127.0.0.1:65536', '127.0.0.1:x', '::1:80', '127.0.0.2:80'])
    test(`case 51: to listen on ${JSON.stringify(text)} is refused`, () =>
      assert.throws(
        () => parseListen(text),
        (error) => isRefusal(error, 'usage.invalid'),
      ));
});
