import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTINGS_OF_PAGE } from './settings-of-page';

interface Property {
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: { readonly enum?: readonly string[] };
}

const document = join(__dirname, '../../../../../docs/api/dashboard.openapi.json');
/** `expected` is no setting: the values that its sender read. */
const { expected: _expected, ...properties } = (
  JSON.parse(readFileSync(document, 'utf8')) as {
    components: { schemas: { UpdateSettingsDto: { properties: Readonly<Record<string, Property>> } } };
  }
).components.schemas.UpdateSettingsDto.properties;
const onPage = SETTINGS_OF_PAGE.flatMap(({ settings }) => settings);

it('has every setting of the API document on the page, each once', () => {
  expect(onPage.map(({ key }) => key).sort()).toEqual(Object.keys(properties).sort());
});

it.each(onPage)('says of $key what it does, its own words or those of the API document', ({ key, says }) => {
  expect(says ?? properties[key]?.description).toMatch(/^\S.{20,}\.$/);
});

it.each(onPage.filter(({ control }) => 'options' in control))('offers every value of $key', ({ key, control }) => {
  const offered = 'options' in control ? control.options.map(({ value }) => value) : [];
  const { enum: words, items } = properties[key] ?? {};
  expect(offered).toEqual(words ?? items?.enum);
});
