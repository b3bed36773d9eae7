import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal, isRefusal } from '../base/errors.ts';
import { ShellEnvironment } from './shell-environment.ts';

const variables = { PATH: '/bin', KEY: 'value', OTHER: 'secret', EMPTY: undefined };
const request = { project: '/p' };

describe('a client sends', () => {
  test('the variables that the owner names, if its shell has them, and no others', async () => {
    const asked: string[] = [];
    const shell = new ShellEnvironment(variables, async (path) => {
      asked.push(path);
      return { names: ['PATH', 'KEY', 'EMPTY', 'ABSENT'] };
    });
    const environment = { PATH: '/bin', KEY: 'value' };
    assert.deepEqual(await shell.forRequest(request), { environment });
    assert.deepEqual(await shell.forRun('0123456789'), { environment });
    assert.deepEqual(asked, ['/v1/environment', '/v1/runs/0123456789/environment']);
  });

  test('PATH alone if the owner refuses, because the command then gets the refusal', async () => {
    const refusal = new Refusal({ code: 'project.untrusted', message: 'Not trusted.' });
    const shell = new ShellEnvironment(variables, () => Promise.reject(refusal));
    assert.deepEqual(await shell.forRequest(request), { environment: { PATH: '/bin' } });
  });

  test('what a setup may use, if it runs a setup without an agent', async () => {
    const shell = new ShellEnvironment(
      { ...variables, PIP_CERT: '/ca.pem', HTTPS_PROXY: 'x' },
      () => assert.fail('nothing is asked'),
    );
    const environment = { PATH: '/bin', PIP_CERT: '/ca.pem' };
    assert.deepEqual(await shell.forSetup(), { environment });
  });

  const mistakes: [value: string, message: RegExp | undefined][] = [
    ['"sk-ant-secret"', /MY_API_KEY has a quotation mark at its beginning or end/],
    ["'sk-ant-secret'\n", /MY_API_KEY has a quotation mark/],
    ['sk-ant-secret"', /MY_API_KEY has a quotation mark/],
    ['sk-ant-secret\n', /MY_API_KEY has a blank or a line end/],
    [' sk-ant-secret', /MY_API_KEY has a blank or a line end/],
    ['\u201Csk-ant-secret\u201D', /MY_API_KEY has a curly quotation mark/],
    ['\u2018sk-ant-secret\u2019 ', /MY_API_KEY has a curly quotation mark/],
    ['`sk-ant-secret`', /MY_API_KEY has a quotation mark/],
    ['sk-ant-\nsecret', /MY_API_KEY has a blank or a line end inside it/],
    ['sk-ant secret', /MY_API_KEY has a blank or a line end inside it/],
    ['\u00A0sk-ant-secret', /MY_API_KEY has a blank or a line end at/],
    ['sk-\u200Bsecret', /MY_API_KEY has a character that no key has, at place 4/],
    ['sk\u2014secret', /MY_API_KEY has a character that no key has, at place 3/],
    ['sk-ant-secret', undefined],
    ['', undefined],
  ];
  for (const [value, message] of mistakes)
    test(`${message === undefined ? 'a key' : 'no key'} ${JSON.stringify(value)}`, async () => {
      const names = ['MY_API_KEY', 'PATH'];
      const given = { MY_API_KEY: value, PATH: '"/bin"' }; // a folder may have any name
      const sent = new ShellEnvironment(given, async () => ({ names })).forRequest(request);
      if (message === undefined) return assert.deepEqual(await sent, { environment: given });
      await assert.rejects(sent, (error) => {
        assert.ok(isRefusal(error, 'usage.invalid'));
        assert.match(error.message, message);
        assert.doesNotMatch(JSON.stringify(error.data), /secret/);
        return true;
      });
    });

  test('nothing if it has no shell', async () => {
    const shell = new ShellEnvironment(undefined, () => assert.fail('nothing is asked'));
    assert.deepEqual(await shell.forRequest(request), {});
  });
});
