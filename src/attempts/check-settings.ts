/** Settings of what checks: with them a test runner, a compiler or a linter can be told to look at nothing. */

/** Names of files, at any depth. */
const NAMES = new RegExp(
  `(?:^|/)(?:${[
    // npm, yarn, pnpm, bun, deno, node
    String.raw`\.npmrc|\.yarnrc(?:\.yml)?|\.pnp\.(?:c?js|loader\.mjs)|\.pnpmfile\.[cm]?js|pnpm-workspace\.yaml|bunfig\.toml|deno\.jsonc?|import_map\.json|node\.config\.json|\.env(?:\.(?!example|sample|template|dist)[\w.-]+)?`,
    // Monorepos
    String.raw`nx\.json|project\.json|turbo\.json|lerna\.json|rush\.json|moon\.yml|\.wireit`,
    // Languages that compile to JavaScript
    String.raw`[jt]sconfig[\w.-]*\.json|\.swcrc|\.babelrc(?:\.[a-z]+)?|\.browserslistrc`,
    // Settings as programs: jest.config.js, vite.config.ci.ts, playwright.config.ts, webpack.config.js
    String.raw`(?:ava|astro|babel|biome|commitlint|cypress|esbuild|eslint|jasmine|jest|karma|knip|lint-staged|metro|mocha|next|nightwatch|nuxt|oxlint|playwright|prettier|remix|rollup|rsbuild|rspack|stencil|stryker|stylelint|svelte|tap|testcafe|tsdown|tsup|unbuild|vite|vitest|vue|wallaby|wdio|web-test-runner|webpack|wtr|c8|nyc)\.conf(?:ig)?[\w.-]*\.(?:[cm]?[jt]sx?|json)`,
    String.raw`vitest\.workspace\.[a-z]+|jest[.-]?(?:setup|preset|transform|environment|resolver)[\w.-]*\.[cm]?[jt]s|setup-?tests?\.[cm]?[jt]sx?|karma\.conf\.[a-z]+|testem\.(?:js|json)|cypress\.(?:json|env\.json)`,
    String.raw`\.mocharc(?:\.[a-z]+)?|\.taprc|\.c8rc(?:\.json)?|\.nycrc(?:\.[a-z]+)?|\.eslintrc(?:\.[a-z]+)?|\.eslintignore|\.oxlintrc\.json|biome\.jsonc?|\.prettierrc(?:\.[a-z0-9]+)?|\.prettierignore|\.stylelintrc(?:\.[a-z]+)?|\.stylelintignore|\.jshintrc|\.jscsrc|\.xo-config[\w.]*|\.remarkrc[\w.]*|\.markdownlint[\w.-]*|\.cspell\.json|cspell\.json`,
    // Python
    String.raw`pytest\.ini|\.pytest\.ini|pytest\.toml|conftest\.py|tox\.ini|tox\.toml|noxfile\.py|setup\.cfg|\.coveragerc|mypy\.ini|\.mypy\.ini|ruff\.toml|\.ruff\.toml|\.flake8|\.?pylintrc(?:\.toml)?|pyrightconfig\.json|\.bandit|\.isort\.cfg|\.style\.yapf|\.pydocstyle|\.yamllint(?:\.ya?ml)?|nose\.cfg|\.noserc|unittest\.cfg|behave\.ini|\.behaverc|sitecustomize\.py|usercustomize\.py|[\w.-]+\.pth|\.pdbrc|py\.typed|pyvenv\.cfg`,
    // Go, Rust, C
    String.raw`\.golangci\.(?:ya?ml|toml|json)|go\.work(?:\.sum)?|staticcheck\.conf|\.cargo/config(?:\.toml)?|\.?clippy\.toml|\.?rustfmt\.toml|rust-toolchain(?:\.toml)?|deny\.toml|nextest\.toml|tarpaulin\.toml|\.clang-(?:tidy|format)|CTestCustom\.cmake|CTestTestfile\.cmake`,
    // Java and its like
    String.raw`gradle\.properties|settings\.gradle(?:\.kts)?|init\.gradle(?:\.kts)?|gradlew(?:\.bat)?|mvnw(?:\.cmd)?|testng[\w-]*\.xml|junit-platform\.properties|surefire[\w.-]*\.(?:xml|properties)|checkstyle[\w-]*\.xml|pmd[\w-]*\.xml|spotbugs[\w-]*\.xml|detekt\.ya?ml|\.scalafmt\.conf|\.scalafix\.conf`,
    // .NET
    String.raw`[\w.-]*\.runsettings|Directory\.Build\.(?:props|targets)|global\.json|nuget\.config|\.editorconfig|stylecop\.json|xunit\.runner\.json`,
    // Ruby, PHP, Elixir, others
    String.raw`\.rubocop[\w.-]*\.ya?ml|\.rspec(?:-local)?|\.rubocop|\.standard\.yml|\.simplecov|cucumber\.ya?ml|Gemfile|\.bundle/config|phpunit[\w.-]*\.xml(?:\.dist)?|phpstan[\w.-]*\.neon(?:\.dist)?|psalm[\w.-]*\.xml(?:\.dist)?|\.php-cs-fixer[\w.]*\.php|phpcs[\w.-]*\.xml(?:\.dist)?|pest\.php|\.credo\.exs|\.formatter\.exs|coveralls\.json|test_helper\.exs|dart_test\.yaml|analysis_options\.yaml|\.busted|\.luacheckrc|\.shellcheckrc|\.shellspec|\.hadolint\.ya?ml|\.pre-commit-config\.yaml|\.swiftlint\.yml|\.hlint\.yaml|BUILD_TOOLS`,
    // Git
    String.raw`\.gitattributes|\.gitmodules`,
  ].join('|')})$`,
  'i',
);
/** Folders of settings, with all that is in them. */
const FOLDERS =
  /(?:^|\/)(?:\.yarn|\.husky|\.mvn|gradle\/wrapper|buildSrc|\.config\/nextest|\.config\/mise|\.storybook|\.stryker|__pypackages__|[^/]+\.(?:dist|egg)-info)\//i;
/** What is installed, and so what a check is made of. The work's own belongs elsewhere. */
export const INSTALLED = /(?:^|\/)(?:node_modules|\.venv|venv|site-packages)(?:\/|$)/;
/**
 * Restored without a word: results that a tool would believe, and rules about which files there are.
 * They change with ordinary work, and the gate has judged without them.
 */
const QUIET =
  /(?:^|\/)(?:\.(?:git|eslint|prettier|stylelint|docker|npm|hg|rg)?ignore|\.fdignore|__pycache__\/.*|[^/]*\.py[co]|\.pytest_cache\/.*|\.mypy_cache\/.*|\.ruff_cache\/.*|\.tox\/.*|\.nox\/.*|\.hypothesis\/.*|\.coverage|[^/]*\.tsbuildinfo|\.eslintcache|\.stylelintcache|\.prettiercache|\.nyc_output\/.*|\.turbo\/.*|\.nx\/.*|\.parcel-cache\/.*|\.gradle\/.*|\.rspec_status|\.phpunit(?:\.result)?\.cache(?:\/.*)?|\.jest-cache\/.*|\.swc\/.*)$/;

export function isCheckSetting(path: string): boolean {
  return NAMES.test(path) || FOLDERS.test(path) || INSTALLED.test(path);
}

export function isQuietSetting(path: string): boolean {
  return QUIET.test(path) && !/(?:^|\/)\.(?:eslint|prettier|stylelint)ignore$/.test(path);
}

/** A build folder whose results a build tool would take as its own, beside the file that makes it one. */
export function isBuildResult(path: string, has: (path: string) => boolean): boolean {
  const [, folder = ''] = /^(.*?)(?:^|\/)target\//.exec(path) ?? [undefined, undefined];
  if (!/(?:^|\/)target\//.test(path)) return false;
  const at = (name: string): string => (folder === '' ? name : `${folder}/${name}`);
  return ['Cargo.toml', 'pom.xml', 'build.sbt'].some((name) => has(at(name)));
}
