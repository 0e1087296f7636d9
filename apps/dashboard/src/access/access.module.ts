import { Module } from '@nestjs/common';
import { AuthTokensModule } from './auth-tokens/auth-tokens.module';
import { HttpModule } from './callers/http.module';
import { MembersModule } from './members/members.module';
import { SignInModule } from './sign-in/sign-in.module';

@Module({ imports: [HttpModule, SignInModule, MembersModule, AuthTokensModule] })
export class AccessModule {}
