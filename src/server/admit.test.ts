import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import { parseListen, originRefusal, listenUrl } from './admit.ts';
import type { Listener } from './admit.ts';

const door: Listener = { host: '127.0.0.1', port: 4242, token: 'a-token_of-43-letters' };
const known = { host: '127.0.0.1:4242', authorization: `Bearer ${door.token}` };

function answer(headers: Readonly<Record<string, string>>, at = door): string {
  const refusal = originRefusal({ header: (name) => headers[name] ?? null }, at);
  return refusal?.data.code ?? 'may come in';
}

describe('over TCP', () => {
  const cases: [why: string, headers: Readonly<Record<string, string>>, expected: string][] = [
    ['a program that knows the token may come in', known, 'may come in'],
    ['so may one that says localhost', { ...known, host: 'LocalHost:4242' }, 'may come in'],
    ['our own page may', { ...known, origin: 'http://127.0.0.1:4242' }, 'may come in'],
    ['an address typed by the user may', { ...known, 'sec-fetch-site': 'none' }, 'may come in'],
    ['case 52: no token', { host: known.host }, 'api.unauthorized'],
    ['case 52: a wrong token', { ...known, authorization: 'Bearer nope' }, 'api.unauthorized'],
    ['a beginning of it', { ...known, authorization: 'Bearer a-token' }, 'api.unauthorized'],
    ['a token of no letters', { ...known, authorization: 'Bearer ' }, 'api.unauthorized'],
    [
      'case 52: another way to say it',
      { ...known, authorization: `Basic ${door.token}` },
      'api.unauthorized',
    ],
    [
      'case 51: a name that was made to point here',
      { ...known, host: 'evil.example:4242' },
      'api.forbidden',
    ],
    [
      'case 51: the same with our port left out',
      { ...known, host: 'evil.example' },
      'api.forbidden',
    ],
    [
      'case 51: a name that begins like ours',
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
      'case 50: a page of another port here',
      { ...known, origin: 'http://127.0.0.1:3000' },
      'api.forbidden',
    ],
    ['ours, said to be safe', { ...known, origin: 'https://127.0.0.1:4242' }, 'api.forbidden'],
    ['case 50: a page that hides where it is from', { ...known, origin: 'null' }, 'api.forbidden'],
    [
      'case 50: an image in a page of another site',
      { ...known, 'sec-fetch-site': 'cross-site' },
      'api.forbidden',
    ],
    ['case 50: a page of a sibling', { ...known, 'sec-fetch-site': 'same-site' }, 'api.forbidden'],
  ];
  for (const [why, headers, expected] of cases) {
    test(`${why}: ${expected}`, () => assert.equal(answer(headers), expected));
  }

  test('an address of version 6 has its own name', () => {
    const six = { ...door, host: '::1' };
    assert.equal(answer({ ...known, host: '[::1]:4242' }, six), 'may come in');
    assert.equal(answer(known, six), 'api.forbidden');
    assert.equal(listenUrl(six), 'http://[::1]:4242');
  });
});

describe('where to listen', () => {
  const good: [text: string, expected: object][] = [
    ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    ['localhost:8080', { host: '127.0.0.1', port: 8080 }],
    ['[::1]:65535', { host: '::1', port: 65_535 }],
  ];
  for (const [text, expected] of good)
    test(`${text} is of this machine alone`, () => assert.deepEqual(parseListen(text), expected));

  const bad = ['0.0.0.0:80', '[::]:80', '192.168.1.2:80', 'example.com:80', ':80', '127.0.0.1', ''];
  for (const text of [...bad, '127.0.0.1:65536', '127.0.0.1:x', '::1:80', '127.0.0.2:80'])
    test(`case 51: to listen on ${JSON.stringify(text)} is refused`, () =>
      assert.throws(
        () => parseListen(text),
        (error) => isRefusal(error, 'usage.invalid'),
      ));
});
