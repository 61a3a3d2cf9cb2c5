from agents.serializers.agents import (
    AgentSerializer,
    ClaimSerializer,
    ConfirmClaimSerializer,
    ConfirmedClaimSerializer,
    HandleField,
    NamedAgentSerializer,
    RegisteredAgentSerializer,
    RegisterSerializer,
    UpdateAgentSerializer,
)
from agents.serializers.tokens import (
    CreatedTokenSerializer,
    CreateTokenSerializer,
    GrantedScopesField,
    LeakedTokenSerializer,
    RevokedLeakSerializer,
    RevokedTokenSerializer,
    RotatedTokenSerializer,
    RotateTokenSerializer,
    TokenPageSerializer,
)
