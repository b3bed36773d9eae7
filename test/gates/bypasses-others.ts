/** Bypasses of gates of other languages. */
import type { Row } from './bypass.ts';

const RED = '#!/bin/sh\nexit 7\n';
const GREEN = '#!/bin/sh\nexit 0\n';

export const OTHERS: readonly Row[] = [
  [
    'go: a deleted test',
    'go test ./...',
    { 'a_test.go': '1', 'a.go': '1' },
    { 'a_test.go': null },
    'tests',
  ],
  [
    'go: a new main of tests',
    'go test ./...',
    { 'a_test.go': '1' },
    { 'main_test.go': 'func TestMain() { os.Exit(0) }' },
  ],
  ['go: a workspace', 'go test ./...', {}, { 'go.work': 'go 1.22\nuse ./fake' }],
  [
    'go: a replaced library',
    'go test ./...',
    { 'go.mod': 'module a\n' },
    { 'go.mod': 'module a\nreplace x => ./fake\n' },
  ],
  ['go: a linter told otherwise', 'golangci-lint run', {}, { '.golangci.yml': 'issues: {}' }],
  [
    'go: a program of the work',
    'go run ./cmd/check',
    {},
    { 'cmd/check/main.go': '1' },
    'not-protected',
  ],
  [
    'cargo: tests off',
    'cargo test',
    { 'Cargo.toml': '[package]\nname = "a"\n' },
    { 'Cargo.toml': '[package]\nname = "a"\nautotests = false\n[lib]\ntest = false\n' },
  ],
  ['cargo: a runner', 'cargo test', {}, { '.cargo/config.toml': '[target.x]\nrunner = "true"' }],
  [
    'cargo: a fake library',
    'cargo test',
    { 'Cargo.toml': '[dev-dependencies]\nassert = "1"\n' },
    { 'Cargo.toml': '[dev-dependencies]\nassert = { path = "fake" }\n' },
  ],
  [
    'cargo: a deleted test',
    'cargo test',
    { 'tests/a.rs': '1', 'Cargo.toml': '1' },
    { 'tests/a.rs': null },
    'tests',
  ],
  [
    'cargo: results that it believes',
    'cargo test',
    { 'Cargo.toml': '1' },
    { 'target/debug/deps/a': '1' },
  ],
  [
    'cargo: a program of the work',
    'cargo run -p xtask',
    {},
    { 'xtask/main.rs': '1' },
    'not-protected',
  ],
  [
    'maven: skipped',
    'mvn test',
    { 'pom.xml': '<project></project>' },
    { 'pom.xml': '<project><properties><skipTests>true</skipTests></properties></project>' },
  ],
  ['maven: its command line', 'mvn test', {}, { '.mvn/maven.config': '-DskipTests' }],
  [
    'maven: a deleted test',
    'mvn test',
    { 'src/test/java/ATest.java': '1' },
    { 'src/test/java/ATest.java': null },
    'tests',
  ],
  [
    'gradle: tests off',
    'gradle test',
    { 'build.gradle': 'plugins {}\n' },
    { 'build.gradle': 'plugins {}\ntest { enabled = false }\n' },
  ],
  ['gradle: properties', './gradlew test', { gradlew: GREEN }, { 'gradle.properties': 'x=1' }],
  ['gradle: the wrapper', './gradlew test', { gradlew: RED }, { gradlew: GREEN }],
  ['dotnet: settings of the run', 'dotnet test', {}, { 'a.runsettings': '1' }],
  [
    'dotnet: a project',
    'dotnet test',
    { 'a.csproj': '<Project></Project>' },
    { 'a.csproj': '<Project><IsTestProject>false</IsTestProject></Project>' },
  ],
  ['ruby: options', 'bundle exec rspec', { 'spec/a_spec.rb': '1' }, { '.rspec': '--dry-run' }],
  ['ruby: a changed spec', 'rspec', { 'spec/a_spec.rb': '1' }, { 'spec/a_spec.rb': '2' }, 'tests'],
  ['php: settings', 'vendor/bin/phpunit', { 'phpunit.xml': '1' }, { 'phpunit.xml': '2' }],
  [
    'php: scripts',
    'composer test',
    { 'composer.json': '{"scripts":{"test":"phpunit"}}' },
    { 'composer.json': '{"scripts":{"test":"true"}}' },
  ],
  [
    'elixir: the helper of tests',
    'mix test',
    { 'test/test_helper.exs': '1' },
    { 'test/test_helper.exs': 'System.halt(0)' },
  ],
  ['git: attributes', "sh -c 'git diff --exit-code'", {}, { '.gitattributes': '* -diff' }],
];
