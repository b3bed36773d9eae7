import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import { parseNetwork, readRegistries } from './registries.ts';

const npm = (config: object): string => JSON.stringify(config);

describe('where package managers look', () => {
  test('npm has one registry for all, and one for a scope', () => {
    const found = readRegistries({
      npm: npm({
        registry: 'https://packages.test/',
        '@mine:registry': 'https://own.test:8443/npm/',
        cafile: '/etc/ssl/own.pem',
        '//own.test/:_authToken': 'secret',
      }),
    });
    assert.deepEqual(found, {
      hosts: [
        { host: 'packages.test', port: 443, isPrivate: true },
        { host: 'own.test', port: 8443, isPrivate: true },
      ],
      npmrc: ['registry=https://packages.test/', '@mine:registry=https://own.test:8443/npm/'],
      pipConf: [],
      goEnv: {},
      cafile: '/etc/ssl/own.pem',
      cert: null,
      unreachable: [],
    });
  });

  test('Go keeps its proxies and its checksums, without a login and without any other host', () => {
    const cases: [
      answer: string,
      hosts: readonly string[],
      env: Readonly<Record<string, string>>,
    ][] = [
      [
        'https://me:secret@go.test/x,https://more.test|direct\nsums.test\n',
        ['go.test', 'more.test', 'sums.test'],
        { GOPROXY: 'https://go.test/x,https://more.test/', GOSUMDB: 'sums.test' },
      ],
      [
        'https://go.test\nsums.test+abc https://mirror.test/sums\n',
        ['go.test', 'mirror.test'],
        { GOPROXY: 'https://go.test/', GOSUMDB: 'sums.test+abc https://mirror.test/sums' },
      ],
      ['https://go.test\noff\n', ['go.test'], { GOPROXY: 'https://go.test/', GOSUMDB: 'off' }],
      ['direct\noff\n', [], {}],
      ['off\noff\n', [], {}],
    ];
    for (const [go, hosts, goEnv] of cases) {
      const found = readRegistries({ go });
      assert.deepEqual([found.hosts.map(({ host }) => host), found.goEnv], [hosts, goEnv]);
    }
  });

  test('pip is told where it looked outside, without the login', () => {
    const found = readRegistries({
      pip: [
        "global.index-url='https://me:secret@python.test/simple'",
        "global.extra-index-url='https://more.test/simple file:///opt/simple'",
        ":env:.cert='/etc/ssl/own.pem'",
      ].join('\n'),
      pipDefault: 'https://default.test/simple\nfiles.test\n',
    });
    assert.deepEqual(
      [found.hosts.map(({ host }) => host), found.pipConf, found.cert],
      [
        ['python.test', 'more.test'],
        [
          '[global]',
          'index-url = https://python.test/simple',
          'extra-index-url = https://more.test/simple',
        ],
        '/etc/ssl/own.pem',
      ],
    );
  });

  test('where pip is told nothing, its own index and the host of its files', () => {
    const found = readRegistries({
      pip: '',
      pipDefault: 'https://default.test/simple\nfiles.test\n',
    });
    assert.deepEqual(
      found.hosts.map(({ host, port }) => `${host}:${port}`),
      ['default.test:443', 'files.test:443'],
    );
  });

  test('this machine is a host of its own kind, and without https there is no way', () => {
    const found = readRegistries({
      npm: npm({ registry: 'https://localhost:4873/', '@a:registry': 'http://plain.test/' }),
    });
    assert.deepEqual(
      [found.hosts, found.unreachable],
      [[{ host: 'localhost', port: 4873, isLoopback: true }], ['plain.test']],
    );
  });

  for (const said of [{}, { npm: 'no json', pip: 'nonsense', pipDefault: '' }, { npm: '[]' }])
    test(`nothing is found in ${JSON.stringify(said)}`, () =>
      assert.deepEqual(readRegistries(said).hosts, []));
});

describe('what a setup may reach', () => {
  test('hosts as they are written', () =>
    assert.deepEqual(parseNetwork(['registry', 'A.test', 'localhost:4873', 'b.test:8443']), {
      asksRegistries: true,
      hosts: [
        { host: 'a.test', port: 443 },
        { host: 'localhost', port: 4873, isLoopback: true },
        { host: 'b.test', port: 8443 },
      ],
    }));

  for (const entry of ['127.0.0.1:443', '10.1', '0x7f000001', 'a.test:0', 'a..test', '-a.test'])
    test(`not ${entry}`, () =>
      assert.throws(
        () => parseNetwork([entry]),
        (error) => isRefusal(error, 'setup.unavailable'),
      ));
});
