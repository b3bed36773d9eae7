/**
 * Runners and checkers with the files that decide for them. A program counts as known only through an entry
 * here, so a gate on a program whose files are in no list is never called protected.
 */

type Entry = readonly [programs: string, files: readonly string[]];

/** Takes what decides from its arguments, or from a manifest such as package.json, which decides anyway. */
const FROM_MANIFESTS: readonly string[] = [];
/** `jest.config.js`, `vite.config.ci.ts`: settings that are programs. */
const config = (name: string): string =>
  String.raw`${name}\.conf(?:ig)?[\w.-]*\.(?:[cm]?[jt]sx?|json)`;
/** `.mocharc`, `.mocharc.yml`. */
const rc = (name: string): string => String.raw`\.${name}rc(?:\.[a-z0-9]+)?`;
const TSCONFIG = String.raw`[jt]sconfig[\w.-]*\.json`;
const ESLINT = [
  config('eslint'),
  rc('eslint'),
  String.raw`\.eslintignore|eslint-suppressions\.json|eslint-local-rules(?:\.[cm]?[jt]s|/.+)`,
];
const BABEL = [config('babel'), rc('babel'), String.raw`\.swcrc|\.browserslistrc`];
const JEST = [
  config('jest'),
  String.raw`jest[.-]?(?:setup|preset|transform|environment|resolver)[\w.-]*\.[cm]?[jt]s`,
  String.raw`setup-?tests?\.[cm]?[jt]sx?`,
  ...BABEL,
];
const VITE = [config('vite'), config('vitest'), String.raw`vitest\.(?:workspace|projects)\.[a-z]+`];
const MOCHA = [config('mocha'), rc('mocha')];
const KARMA = [config('karma'), String.raw`karma\.conf\.[a-z]+|testem\.(?:js|json)`];
const JASMINE = [config('jasmine'), String.raw`(?:\.?jasmine|support/jasmine)\.(?:json|[cm]?js)`];
const PYTEST = [
  String.raw`pytest\.ini|\.pytest\.ini|\.?pytest\.toml|conftest\.py|tox\.ini|setup\.cfg`,
];
const CARGO = [
  String.raw`\.cargo/config(?:\.toml)?|\.?clippy\.toml|\.?rustfmt\.toml|rust-toolchain(?:\.toml)?|deny\.toml|\.?nextest\.toml|\.?tarpaulin\.toml|build\.rs`,
];
const BUNDLER = [String.raw`Gemfile|\.bundle/config`];

const ENTRIES: readonly Entry[] = [
  // Tests in JavaScript
  ['jest ts-jest', JEST],
  [
    'react-scripts craco react-app-rewired',
    [...JEST, ...ESLINT, config('craco'), String.raw`config-overrides\.js`],
  ],
  ['vitest', VITE],
  ['mocha ts-mocha mochapack', MOCHA],
  ['ava', [config('ava')]],
  ['tap tapjs', [rc('tap'), config('tap')]],
  ['borp uvu qunit', [rc('c8'), TSCONFIG]],
  ['jasmine jasmine-ts', JASMINE],
  ['karma', KARMA],
  ['ng', [String.raw`\.?angular(?:-cli)?\.json`, ...KARMA, ...JEST, TSCONFIG]],
  ['vue-cli-service', [config('vue'), ...JEST, ...MOCHA, ...ESLINT]],
  ['cypress', [config('cypress'), String.raw`cypress(?:\.env)?\.json`]],
  ['playwright', [config('playwright')]],
  ['wdio', [config('wdio')]],
  ['testcafe', [rc('testcafe'), config('testcafe')]],
  ['web-test-runner wtr', [config('web-test-runner'), config('wtr')]],
  ['cucumber-js', [String.raw`cucumber\.(?:[cm]?js|json|ya?ml)`]],
  ['c8 nyc', [rc('c8'), rc('nyc'), config('c8'), config('nyc')]],
  ['stryker', [config('stryker'), String.raw`\.stryker/.+`]],
  // Checks of JavaScript
  ['eslint', ESLINT],
  ['oxlint', [String.raw`\.oxlintrc\.json`, config('oxlint')]],
  ['oxfmt', [String.raw`\.oxfmtrc\.jsonc?`]],
  ['biome', [String.raw`\.?biome\.jsonc?`, config('biome')]],
  ['prettier', [rc('prettier'), config('prettier'), String.raw`\.prettierignore|\.editorconfig`]],
  ['standard xo', [String.raw`\.xo-config[\w.]*`, config('xo'), ...ESLINT]],
  ['stylelint', [rc('stylelint'), config('stylelint'), String.raw`\.stylelintignore`]],
  [
    'tsc vue-tsc tsgo tsd attw svelte-check',
    [TSCONFIG, String.raw`\.attw\.json`, config('svelte')],
  ],
  ['knip', [String.raw`\.?knip\.(?:jsonc?|[cm]?[jt]s)`, config('knip')]],
  ['jscpd', [String.raw`\.jscpd\.json`]],
  ['dpdm madge depcheck publint', [rc('madge'), rc('depcheck')]],
  ['size-limit', [String.raw`\.size-limit\.(?:json|[cm]?[jt]s)`]],
  [
    'markdownlint markdownlint-cli2 remark',
    [String.raw`\.markdownlint[\w.-]*`, String.raw`\.remarkrc[\w.]*`],
  ],
  ['textlint', [rc('textlint'), String.raw`\.textlintignore`]],
  ['cspell', [String.raw`\.?cspell(?:\.config)?\.(?:jsonc?|ya?ml|toml|[cm]?js)`]],
  ['commitlint', [rc('commitlint'), config('commitlint')]],
  ['lint-staged', [rc('lintstaged'), config('lint-staged')]],
  // Builds of JavaScript
  ['webpack webpack-cli', [config('webpack'), ...BABEL]],
  ['rollup', [config('rollup')]],
  ['esbuild', [config('esbuild'), TSCONFIG]],
  ['swc babel', BABEL],
  ['vite', VITE],
  [
    'tsup tsdown unbuild',
    [config('tsup'), config('tsdown'), config('unbuild'), String.raw`build\.config\.[cm]?[jt]s`],
  ],
  [
    'next nuxt nuxi astro remix svelte-kit stencil',
    ['next', 'nuxt', 'astro', 'remix', 'svelte', 'stencil'].map(config),
  ],
  [
    'rspack rsbuild parcel metro',
    [config('rspack'), config('rsbuild'), config('metro'), rc('parcel')],
  ],
  ['prisma', [config('prisma')]],
  ['deno', [String.raw`deno\.jsonc?|import_map\.json`]],
  // Python
  ['pytest py.test', PYTEST],
  ['nosetests nose2 green ward', [String.raw`nose\.cfg|\.noserc|unittest\.cfg|\.green|setup\.cfg`]],
  ['behave', [String.raw`behave\.ini|\.behaverc`]],
  ['robot', [String.raw`robot\.toml|\.robot\.toml`]],
  ['coverage', [String.raw`\.coveragerc`]],
  ['mypy dmypy stubtest', [String.raw`\.?mypy\.ini|setup\.cfg|py\.typed`]],
  ['pyright basedpyright pyre', [String.raw`pyrightconfig\.json|\.pyre_configuration(?:\.local)?`]],
  ['ruff black isort', [String.raw`\.?ruff\.toml|\.isort\.cfg|setup\.cfg`]],
  [
    'flake8 pycodestyle pydocstyle autopep8 yapf',
    [
      String.raw`\.flake8|\.pycodestyle|\.pydocstyle(?:\.ini)?|pydocstyle\.ini|\.style\.yapf|\.yapfignore|setup\.cfg|tox\.ini`,
    ],
  ],
  ['pylint', [String.raw`\.?pylintrc(?:\.toml)?`]],
  ['bandit vulture', [String.raw`\.bandit`]],
  ['djlint', [rc('djlint')]],
  ['sqlfluff', [String.raw`\.sqlfluff|\.sqlfluffignore`]],
  ['pre-commit', [String.raw`\.pre-commit-config\.ya?ml|\.pre-commit-hooks\.yaml`]],
  // Go, Rust
  ['go gofmt goimports gotestsum ginkgo', [String.raw`go\.work(?:\.sum)?|go\.env`]],
  ['golangci-lint', [String.raw`\.golangci\.(?:ya?ml|toml|json)`]],
  ['staticcheck', [String.raw`staticcheck\.conf`]],
  ['cargo cargo-nextest nextest rustc rustfmt clippy-driver', CARGO],
  // C and C++: what is built is the work, how is in the makefile.
  ['cc gcc g++ c++ clang clang++ ld ar as ranlib nm strip cpp pkg-config ldd', FROM_MANIFESTS],
  ['clang-tidy clang-format', [String.raw`\.clang-(?:tidy|format)|\.clang-format-ignore`]],
  // Java and its like
  [
    'mvn mvnw',
    [
      String.raw`mvnw(?:\.cmd)?|\.mvn/.+|testng[\w-]*\.xml|junit-platform\.properties|surefire[\w.-]*\.(?:xml|properties)|checkstyle[\w-]*\.xml|pmd[\w-]*\.xml|spotbugs[\w-]*\.xml`,
    ],
  ],
  [
    'gradle gradlew',
    [
      String.raw`gradle\.properties|(?!build\.)[\w-]+\.gradle(?:\.kts)?|gradlew(?:\.bat)?|detekt\.ya?ml|gradle/wrapper/.+|buildSrc/.+`,
    ],
  ],
  [
    'sbt',
    [
      String.raw`project/(?:[\w.-]+\.sbt|build\.properties|(?:[^/]+/)*[\w.-]+\.scala)|\.sbtopts|\.jvmopts|\.scala(?:fmt|fix)\.conf`,
    ],
  ],
  // .NET
  [
    'dotnet',
    [
      String.raw`[\w.-]*\.runsettings|[\w.-]+\.slnx?|[\w.-]+\.slnf|Directory\.Build\.(?:props|targets|rsp)|[\w.-]+\.(?:targets|ruleset|globalconfig)|global\.json|nuget\.config|\.editorconfig|stylecop\.json|(?:[\w.-]+\.)?xunit\.runner\.json|msbuild\.rsp`,
    ],
  ],
  // Ruby
  ['rspec', [String.raw`\.rspec(?:-local)?|\.simplecov`, ...BUNDLER]],
  ['minitest', BUNDLER],
  ['cucumber', [String.raw`cucumber\.ya?ml`]],
  ['rubocop standardrb', [String.raw`\.rubocop[\w.-]*|\.standard(?:_todo)?\.yml`]],
  ['reek', [String.raw`[\w.-]*\.reek(?:\.yml)?`]],
  ['brakeman', [String.raw`brakeman\.(?:yml|ignore)`]],
  ['sorbet srb steep', [String.raw`sorbet/config|Steepfile`]],
  // PHP
  ['phpunit', [String.raw`phpunit[\w.-]*\.xml(?:\.dist)?`]],
  ['pest', [String.raw`pest\.php|phpunit[\w.-]*\.xml(?:\.dist)?`]],
  ['phpstan', [String.raw`phpstan[\w.-]*\.(?:neon|php)(?:\.dist)?`]],
  ['psalm', [String.raw`psalm[\w.-]*\.xml(?:\.dist)?`]],
  ['phpcs php-cs-fixer', [String.raw`\.?phpcs[\w.-]*\.xml(?:\.dist)?|\.php[-_]cs[\w.]*`]],
  ['composer', FROM_MANIFESTS],
  // Others
  [
    'mix',
    [
      String.raw`\.credo\.exs|\.formatter\.exs|coveralls\.json|test_helper\.exs|config/(?:config|test|runtime)\.exs|\.iex\.exs`,
    ],
  ],
  ['swift', [String.raw`\.swiftlint\.yml|\.swift-format`]],
  [
    'dart flutter',
    [String.raw`dart_test\.yaml|analysis_options\.yaml|build\.yaml|pubspec_overrides\.yaml`],
  ],
  ['bats shellspec', [String.raw`\.shellspec`]],
  ['shellcheck', [String.raw`\.?shellcheckrc`]],
  ['shfmt', [String.raw`\.editorconfig`]],
  ['hadolint', [String.raw`\.hadolint\.ya?ml`]],
  ['actionlint', [String.raw`\.github/actionlint\.ya?ml`]],
  ['yamllint', [String.raw`\.yamllint(?:\.ya?ml)?`]],
  ['busted', [String.raw`\.busted`]],
  ['luacheck', [String.raw`\.luacheckrc`]],
  ['hlint', [String.raw`\.hlint\.ya?ml`]],
  ['tflint', [String.raw`\.tflint\.hcl`]],
  ['terraform tofu', [String.raw`\.terraformrc|terraform\.rc`]],
  [
    'ansible-lint',
    [
      String.raw`\.ansible-lint(?:\.ya?ml)?|\.config/ansible-lint\.ya?ml|ansible\.cfg|\.ansible-lint-ignore`,
    ],
  ],
  ['buf', [String.raw`buf(?:\.(?:work|gen))?\.yaml`]],
  ['protolint', [String.raw`\.protolint\.ya?ml`]],
  ['helm kubeconform', [String.raw`\.helmignore`]],
  ['husky is-ci patch-package', [String.raw`patches/.+\.patch`]],
];

/** Programs with an entry. */
export const RUNNERS: ReadonlySet<string> = new Set(
  ENTRIES.flatMap(([programs]) => programs.split(' ')),
);

/** Patterns of paths, each for the end of one: what some program of the table reads. */
export const SETTINGS: readonly string[] = [...new Set(ENTRIES.flatMap(([, files]) => files))];

/** The programs that have an entry without files: they are named so that each is a decision. */
export const WITHOUT_FILES: readonly string[] = ENTRIES.filter(
  ([, files]) => files.length === 0,
).flatMap(([programs]) => programs.split(' '));
