import {
  Button,
  Checkbox,
  FileButton,
  Group,
  Input,
  NativeSelect,
  NumberInput,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { useEffect, useEffectEvent, useState, type ReactNode } from 'react';
import texts from 'virtual:setting-texts';
import { formatUnits } from 'viem';
import { parseCoins } from '../../format/amount';
import { useChain } from '../../shell/use-scope';
import { Form } from '../../ui/form';
import { LineList } from '../policies/fields';
import type { SettingOfPage, Settings } from './settings-of-page';

type Value = Settings[SettingOfPage['key']];

interface Props {
  readonly setting: SettingOfPage;
  readonly stored: Value;
  readonly isDisabled: boolean;
  /** Told whether its reader has typed what is not saved. */
  readonly onEdited: (isEdited: boolean) => void;
  /** Takes what is to be stored; what is typed comes when its reader saves it. */
  readonly onChange: (value: Value) => void;
}

interface FieldProps extends Props {
  readonly description: string;
}

/** A setting with what it costs or opens, as a switch, a choice, or a field with a button that saves it. */
export function SettingField(props: Props) {
  const { setting, stored, isDisabled, onChange } = props;
  const { key, label, says, costs, control } = setting;
  const description = [says ?? texts[key]?.description, costs].filter(Boolean).join(' ');
  const field = { ...props, description };
  switch (control.kind) {
    case 'switch':
      return (
        <Switch
          label={label}
          description={description}
          checked={stored === true}
          disabled={isDisabled}
          onChange={({ currentTarget: { checked } }) => onChange(checked)}
          {...(control.opens && stored === true && { color: 'orange' })}
        />
      );
    case 'choice':
      return (
        <NativeSelect
          label={label}
          description={description}
          value={String(stored)}
          data={[...control.options]}
          disabled={isDisabled}
          onChange={(event) => onChange(event.currentTarget.value as Value)}
        />
      );
    case 'ways':
      return (
        <Checkbox.Group
          label={label}
          description={description}
          value={[...(stored as string[])]}
          onChange={(chosen) =>
            onChange(control.options.map(({ value }) => value).filter((way) => chosen.includes(way)) as Value)
          }
        >
          <Stack gap={6} mt={6}>
            {control.options.map((option) => (
              <Checkbox key={option.value} {...option} disabled={isDisabled} />
            ))}
          </Stack>
        </Checkbox.Group>
      );
    case 'number':
      return <NumberField {...field} />;
    case 'coin':
      return <CoinField {...field} />;
    case 'text':
      return <TextField {...field} />;
    case 'icon':
      return <IconField {...field} />;
    case 'lines':
      return <LinesField {...field} />;
  }
}

function NumberField({ setting: { key, label }, description, stored, isDisabled, onEdited, onChange }: FieldProps) {
  const [typed, setTyped] = useState<string | number>(Number(stored));
  const { minimum = 0, maximum } = texts[key] ?? {};
  const isChanged = typeof typed === 'number' && typed !== stored;
  return (
    <Saved {...{ label, onEdited }} isChanged={isChanged} onSave={() => onChange(Number(typed))}>
      <NumberInput
        {...{ label, description, min: minimum }}
        {...(maximum !== undefined && { max: maximum })}
        value={typed}
        onChange={setTyped}
        allowDecimal={false}
        disabled={isDisabled}
      />
    </Saved>
  );
}

/** Coins; what is stored is wei, or nothing. */
function CoinField({ setting: { label }, description, stored, isDisabled, onEdited, onChange }: FieldProps) {
  const { symbol } = useChain();
  const before = stored === null ? '' : formatUnits(BigInt(String(stored)), 18);
  const [typed, setTyped] = useState(before);
  const wei = parseCoins(typed);
  const isEmpty = typed.trim() === '';
  const isWrong = !isEmpty && wei === undefined;
  return (
    <Saved
      {...{ label, onEdited }}
      isChanged={!isWrong && (isEmpty ? null : String(wei)) !== stored}
      onSave={() => onChange(isEmpty ? null : String(wei))}
    >
      <TextInput
        label={`${label}, in ${symbol}`}
        description={description}
        value={typed}
        inputMode="decimal"
        error={isWrong && `An amount such as 0.25, in ${symbol}`}
        disabled={isDisabled}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </Saved>
  );
}

function TextField({ setting: { label }, description, stored, isDisabled, onEdited, onChange }: FieldProps) {
  const before = String(stored ?? '');
  const [typed, setTyped] = useState(before);
  return (
    <Saved {...{ label, onEdited }} isChanged={typed.trim() !== before} onSave={() => onChange(typed.trim() || null)}>
      <TextInput
        {...{ label, description }}
        value={typed}
        disabled={isDisabled}
        spellCheck={false}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </Saved>
  );
}

function LinesField({ setting: { label }, description, stored, isDisabled, onEdited, onChange }: FieldProps) {
  const before = stored as readonly string[];
  const [typed, setTyped] = useState(before);
  return (
    <Saved {...{ label, onEdited }} isChanged={typed.join() !== before.join()} onSave={() => onChange([...typed])}>
      <LineList {...{ label, description, isDisabled }} value={before} onChange={setTyped} />
    </Saved>
  );
}

/** A picture from a file of the reader; what is stored is its data URI. */
function IconField({ setting: { label }, description, stored, isDisabled, onEdited, onChange }: FieldProps) {
  const [chosen, setChosen] = useState(stored as string | null);
  return (
    <Saved {...{ label, onEdited }} isChanged={chosen !== stored} onSave={() => onChange(chosen)}>
      <Input.Wrapper {...{ label, description }} labelElement="div">
        <Group gap="xs" mt={6}>
          {chosen ? <img src={chosen} width={32} height={32} alt="The icon" /> : <Text size="sm">No icon</Text>}
          <FileButton
            accept="image/png,image/jpeg,image/gif,image/webp"
            disabled={isDisabled}
            inputProps={{ 'aria-label': label }}
            onChange={(file) => file && void dataUriOf(file).then(setChosen)}
          >
            {(props) => (
              <Button {...props} size="xs" variant="default" disabled={isDisabled}>
                Choose a picture
              </Button>
            )}
          </FileButton>
          {chosen !== null && !isDisabled && (
            <Button size="xs" variant="subtle" color="red" onClick={() => setChosen(null)}>
              Remove the icon
            </Button>
          )}
        </Group>
      </Input.Wrapper>
    </Saved>
  );
}

function dataUriOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error('the file could not be read', { cause: reader.error }));
    reader.readAsDataURL(file);
  });
}

interface SavedProps {
  readonly label: string;
  readonly isChanged: boolean;
  readonly onEdited: (isEdited: boolean) => void;
  readonly onSave: () => void;
  readonly children: ReactNode;
}

/** A field, and a button that saves it once it is changed. */
function Saved({ label, isChanged, onEdited, onSave, children }: SavedProps) {
  const tell = useEffectEvent(onEdited);
  useEffect(() => tell(isChanged), [isChanged]);
  return (
    <Form onSubmit={() => isChanged && onSave()}>
      <Stack gap="xs">
        {children}
        {isChanged && (
          <Group>
            <Button type="submit" variant="default" aria-label={`Save: ${label}`}>
              Save
            </Button>
          </Group>
        )}
      </Stack>
    </Form>
  );
}
