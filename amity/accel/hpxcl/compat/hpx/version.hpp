#pragma once

#include "amity/accel/hpxcl/words.hpp"
