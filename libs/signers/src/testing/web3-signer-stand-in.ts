import type { ServerOptions } from 'node:https';
import { getBytes, keccak256 } from 'ethers';
import { expectThat, SignerStandIn, type StandInAnswer, type StandInRequest } from './signer-stand-in';

/** Web3Signer in mode `eth1`: `POST /api/v1/eth1/sign/{public key}`, hashing what it is given. */
export class Web3SignerStandIn extends SignerStandIn {
  /** @param tls for https; plain http when absent */
  static start(key: Uint8Array, tls?: ServerOptions): Promise<Web3SignerStandIn> {
    return new Web3SignerStandIn(key, tls).listen();
  }

  /** 64 bytes as hex, as `GET /api/v1/eth1/publicKeys` lists it. */
  get identifier(): string {
    return `0x${Buffer.from(this.publicKey.subarray(1)).toString('hex')}`;
  }

  protected answer({ method, path, headers, body }: StandInRequest): StandInAnswer {
    expectThat(method === 'POST' && path === `/api/v1/eth1/sign/${this.identifier}`, 'method or path');
    expectThat(headers['content-type'] === 'application/json', 'content type');
    const { data, ...rest } = JSON.parse(body.toString()) as Record<string, string>;
    expectThat(Object.keys(rest).length === 0 && /^0x([0-9a-f]{2})+$/.test(data ?? ''), 'data');
    const signature = Buffer.from(this.signatureOf(getBytes(keccak256(data!))));
    const text = `0x${signature.toString('hex')}1b`;
    const body65 = this.mode === 'truncated' ? text.slice(0, -10) : text;
    return { status: 200, contentType: 'text/plain; charset=utf-8', body: body65 };
  }

  protected throttledAnswer(): StandInAnswer {
    return { status: 429, contentType: 'text/plain', body: 'slow down' };
  }
}
