"""The other site's own users, who log in with an address and have no name."""

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models


class MemberManager(BaseUserManager["Member"]):
    """Makes members."""

    def create_user(self, email: str, password: str, **fields: bool) -> "Member":
        member = self.model(email=email, **fields)
        member.set_password(password)
        member.save()
        return member


class Member(AbstractBaseUser, PermissionsMixin):
    """A member of the other site."""

    email = models.EmailField(unique=True)
    is_staff = models.BooleanField(default=False)

    USERNAME_FIELD = "email"

    objects = MemberManager()

    def __str__(self) -> str:
        return self.email
