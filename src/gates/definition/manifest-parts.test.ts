import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { restoreManifest } from './manifest-parts.ts';

describe('a manifest of the work', () => {
  const dependency = '<dependency><artifactId>a</artifactId></dependency>';
  const onMachine = '<dependency><systemPath>/lib</systemPath></dependency>';
  const cases: [why: string, path: string, was: string, is: string, isRestored: boolean][] = [
    ['may add a dependency', 'pom.xml', '<a></a>', `<a>${dependency}</a>`, false],
    ['may add two', 'pom.xml', '<a></a>', `<a>${dependency}${dependency}</a>`, false],
    ['leads nowhere else', 'pom.xml', '<a></a>', `<a>${onMachine}</a>`, true],
    ['may add one before that', 'pom.xml', onMachine, `${dependency}${onMachine}`, false],
    ['may add one behind that', 'pom.xml', onMachine, `${onMachine}${dependency}`, false],
    ['keeps its plugins', 'pom.xml', '<a></a>', '<a><plugin>x</plugin></a>', true],
    ['may have another version', 'build.gradle', "version '1'", "\n  version = '2'\n", false],
    ['may have another library', 'build.gradle', '', "  implementation 'a:b:1'\n", false],
    ['keeps its tasks', 'build.gradle', '', "test { exclude '**' }", true],
    ['may have another model', 'a.prisma', 'model A {}', 'model B {}', false],
    ['keeps its generator', 'a.prisma', 'generator a { x }', '\n generator a { y }', true],
    ['may move its generator', 'a.prisma', 'generator a { x }', '\n\n generator a { x }', false],
    ['may have another sbt version', 'build.sbt', 'version := "1"', 'version   :=  "2",', false],
  ];
  for (const [why, path, was, is, isRestored] of cases)
    test(`${path} ${why}`, () =>
      assert.equal(restoreManifest(path, was, is) !== undefined, isRestored));

  const hostile: [path: string, text: string][] = [
    ['pom.xml', '<dependency>'],
    ['pom.xml', '<dependency><systemPath>'],
    ['a.csproj', '<PackageReference '],
    ['a.prisma', '\n'],
    ['a.prisma', '\r'],
    ['a.prisma', 'generator '],
    ['a.prisma', '\ngenerator a {'],
    ['build.gradle', '\n'],
    ['build.gradle', '\r'],
    ['build.gradle', 'version '],
    ['build.gradle', ' '],
    ['build.sbt', ' '],
  ];
  for (const [path, text] of hostile)
    test(`${path} with ${JSON.stringify(text)} again and again is read in linear time`, () => {
      const is = `version${text.repeat(Math.floor(2_000_000 / text.length))}`;
      // The square of its length would take days: the test would not end.
      assert.equal(restoreManifest(path, is, is), undefined);
    });
});
