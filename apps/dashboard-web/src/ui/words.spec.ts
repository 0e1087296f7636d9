import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const APPS = join(__dirname, '../../..');
const PAGE = join(APPS, 'dashboard-web');
/** What people read: of the page all, of the dashboard its alerts and errors. */
const SOURCES = [
  ...globSync('dashboard-web/src/**/*.{ts,tsx}', { cwd: APPS }).filter((file) => !/\.spec\./.test(file)),
  ...['activity/alerts/alert.watch.ts', 'activity/alerts/alerts.worker.ts', 'platform/http/dashboard-errors.ts'].map(
    (file) => `dashboard/src/${file}`,
  ),
];
/** Code that is shown to be copied, and requests that the reader pasted: names of programs are right there. */
const CODE = /(snippet-of|first-call|read-operation-text|land-operation|ask-gateway)\.ts$/;

/** The words of the last column of the table in the README. */
function forbidden(): readonly string[] {
  const [, table = ''] =
    /\n\| word \|[^\n]*\n\|[-|]+\n([\s\S]*?)\n\n/.exec(readFileSync(join(PAGE, 'README.md'), 'utf8')) ?? [];
  return table
    .split('\n')
    .flatMap((row) => (row.split('|')[3] ?? '').split(',').map((word) => word.trim()))
    .filter(Boolean);
}

/** The texts of a source: what stands between tags, and strings that are no identifier, path or key. */
function textsOf(file: string): readonly string[] {
  const texts: string[] = [];
  const source = ts.createSourceFile(file, readFileSync(join(APPS, file), 'utf8'), ts.ScriptTarget.Latest, false);
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isPropertyAssignment(node)) return visit(node.initializer);
    if (ts.isJsxText(node) || ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) texts.push(node.text);
    if (ts.isTemplateMiddle(node) || ts.isTemplateTail(node)) texts.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts
    .map((text) => text.replace(/\s+/g, ' ').trim())
    .filter((text) => /[A-Za-z] [A-Za-z]|^[A-Z][a-z]/.test(text));
}

const TEXTS = SOURCES.filter((file) => !CODE.test(file)).flatMap((file) =>
  textsOf(file).map((text) => ({ file, text })),
);

it('the texts say each thing by its one word', () => {
  const words = forbidden();
  expect(words).toContain('funding wallet');
  const found = words.flatMap((word) => {
    const pattern = new RegExp(`\\b${word.replace(' ', '[ -]?')}(s|d|ed)?\\b`, 'i');
    return TEXTS.filter(({ text }) => pattern.test(text)).map(({ file, text }) => `${file}: “${word}” in “${text}”`);
  });
  expect(found).toEqual([]);
});

it('the texts have no names of programs without words', () => {
  // Errors of the API name its fields.
  const found = TEXTS.filter(({ file }) => !file.endsWith('-errors.ts')).flatMap(({ file, text }) =>
    [...text.matchAll(/(?<![\w"./(-])([a-z]{2,}[A-Z]\w*|null|undefined|[A-Z]+_[A-Z_]+)\b/g)].map(
      ([name]) => `${file}: ${name} in “${text}”`,
    ),
  );
  expect(found).toEqual([]);
});

it('a failed read says that it failed, and not that nothing was changed', () => {
  const wrong = SOURCES.filter((file) => readFileSync(join(APPS, file), 'utf8').includes('what="Nothing was changed"'));
  expect(wrong).toEqual([]);
});
