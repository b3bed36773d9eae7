import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { isEncrypted, pageRefusal, parsePublicUrl } from './admit-page.ts';
import type { PageAddress } from './admit-page.ts';

const address: PageAddress = {
  host: '127.0.0.1',
  port: 4242,
  publicUrl: 'https://box.example.net',
};
const host = '127.0.0.1:4242';
const origin = `http://${host}`;
const link = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const cross = { 'sec-fetch-site': 'cross-site' };

type Headers = Readonly<Record<string, string>>;

function answer(method: string, path: string, headers: Headers): string {
  const header = (name: string): string | null => headers[name] ?? null;
  return pageRefusal({ method, path, header }, address)?.data.message ?? 'answered';
}

describe('a request to the port of the dashboard', () => {
  const good: [why: string, method: string, path: string, headers: Headers][] = [
    ['a page load', 'GET', '/', { host, ...link, 'sec-fetch-site': 'none' }],
    ['a page load by the name localhost', 'GET', '/', { host: 'LocalHost:4242' }],
    ['a page load by the address of the proxy', 'GET', '/', { host: 'box.example.net' }],
    ['a link on a page of another site', 'GET', '/runs/x', { host, ...link, ...cross }],
    ['our page asks', 'GET', '/v1/session', { host, 'sec-fetch-site': 'same-origin' }],
    ['our page decides', 'POST', '/v1/runs/x/decision', { host, origin }],
    [
      'our page behind the proxy decides',
      'POST',
      '/v1/runs/x/decision',
      { host: 'box.example.net', origin: 'https://box.example.net' },
    ],
  ];
  for (const [why, method, path, headers] of good)
    test(`is answered: ${why}`, () => assert.equal(answer(method, path, headers), 'answered'));

  const bad: [why: string, method: string, path: string, headers: Headers, refusal: RegExp][] = [
    ['no host', 'GET', '/', {}, /the host "" is not/],
    [
      'DNS rebinding: a foreign name that resolves to this machine',
      ...(['GET', '/', { host: 'evil.example:4242' }, /evil\.example:4242" is not/] as const),
    ],
    [
      'DNS rebinding: a name that begins like the address',
      ...(['GET', '/v1/session', { host: '127.0.0.1.evil.example:4242' }, /is not/] as const),
    ],
    ['another port', 'GET', '/', { host: '127.0.0.1:80' }, /is not this dashboard/],
    ['the name of the proxy with a port', 'GET', '/', { host: 'box.example.net:81' }, /is not/],
    [
      'CSRF: a form of another site',
      ...(['POST', '/v1/runs/x/decision', { host, origin: 'https://evil.example' }] as const),
      /requests from https:\/\/evil\.example/,
    ],
    ['CSRF: a form without an origin', 'POST', '/v1/runs/x/decision', { host }, /unnamed origin/],
    [
      'CSRF: a page with the origin null',
      ...(['POST', '/v1/runs/x/decision', { host, origin: 'null' }, /requests from null/] as const),
    ],
    [
      'a page of another port of this machine',
      ...(['POST', '/v1/session/end', { host, origin: 'http://127.0.0.1:3000' }] as const),
      /requests from http:\/\/127\.0\.0\.1:3000/,
    ],
    [
      'our own address with another scheme',
      ...([
        'POST',
        '/v1/session/end',
        { host, origin: `https://${host}` },
        /requests from/,
      ] as const),
    ],
    ['an image on a page of another site', 'GET', '/', { host, ...cross }, /another site/],
    [
      'a page of another port that fetches data',
      ...(['GET', '/v1/session', { host, 'sec-fetch-site': 'same-site' }, /another site/] as const),
    ],
    [
      'a link of another site to data',
      ...(['GET', '/v1/events', { host, ...cross, ...link }, /another site/] as const),
    ],
    [
      'a form of another site that navigates',
      ...(['POST', '/enter/x', { host, origin, ...cross, ...link }, /another site/] as const),
    ],
    [
      'a frame of another site',
      ...(['GET', '/', { host, ...cross, ...link, 'sec-fetch-dest': 'iframe' }] as const),
      /another site/,
    ],
    [
      'a frame of our own site',
      ...([
        'GET',
        '/',
        { host, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'iframe' },
      ] as const),
      /inside a frame/,
    ],
  ];
  for (const [why, method, path, headers, refusal] of bad)
    test(`is refused: ${why}`, () => assert.match(answer(method, path, headers), refusal));
});

describe('the address of a proxy', () => {
  test('is an origin', () =>
    assert.deepEqual(
      ['https://box.example.net', 'https://BOX.example.net/', 'http://box:8080'].map(
        parsePublicUrl,
      ),
      ['https://box.example.net', 'https://box.example.net', 'http://box:8080'],
    ));
  for (const text of ['box.example.net', 'https://box/path', 'https://a:b@box', 'ftp://box', ''])
    test(`is refused as ${JSON.stringify(text)}`, () =>
      assert.throws(
        () => parsePublicUrl(text),
        (error) => isRefusal(error, 'usage.invalid'),
      ));
  test('says whether a cookie needs encryption', () => {
    const isSecure = (name: string, publicUrl: string | null): boolean =>
      isEncrypted(() => name, { ...address, publicUrl });
    assert.deepEqual(
      [
        isSecure('box.example.net', 'https://box.example.net'),
        isSecure(host, 'https://box.example.net'),
        isSecure('box.example.net', 'http://box.example.net'),
        isSecure(host, null),
      ],
      [true, false, false, false],
    );
  });
});
